#include "simulation/router/SentReceipt.h"

#include <array>

#include <smpp/pdu/PduWriter.h>

#include "simulation/router/Ledger.h"
#include "simulation/router/OddPdu.h"

namespace simulation {

using namespace std::string_literals;
using smpp::Field;
using smpp::Tag;

// "@" stands for the id.
struct ReceiptForm {
    std::string_view text;
    bool mayBeUnmarked = false;
    std::string_view expected{};  // where more than the id differs
};

namespace {

constexpr bool alsoUnmarked = true;
constexpr std::size_t longestText = 254;
// Ids of several words, or long ones, are for the first form.
constexpr std::size_t longestPlainId = 20;

constexpr ReceiptForm usualForm{
    "id:@ sub:001 dlvrd:001 submit date:2401010000 done date:2401010001 stat:DELIVRD err:000 text:",
    alsoUnmarked};
constexpr std::array oddForms{
    ReceiptForm{"id:@ stat:DELIVRD", alsoUnmarked},
    ReceiptForm{"id:@ sub:001 dlvrd:001", alsoUnmarked},
    ReceiptForm{"id:@ sub:001 dlvrd:001 donedate:2401010001 Status=DELIVRD Text:id:1"},
    ReceiptForm{"id:@ , sub:001; dlvrd:001; stat:DELIVRD; err: 0; text:"},
    ReceiptForm{"id:@ STAT:DELIVRD\r\nERR:000\r\n"},
    ReceiptForm{"id:@ sub : 001 stat : DELIVRD"},
    ReceiptForm{"id:@ stat%3ADELIVRD%20err%3A000"},
    ReceiptForm{"id:@.sub:001.stat:DELIVRD.err:003"},
    ReceiptForm{"id:@-sub:001-stat:DELIVRD-err:003"},
    ReceiptForm{"id:@ | sub:001 | stat:DELIVRD"},
    ReceiptForm{"id:@||sub:001||stat:DELIVRD"},
    ReceiptForm{"<id:@><sub:001><stat:DELIVRD>"},
    ReceiptForm{"id:@/state:DELIVRD"},
    ReceiptForm{"id:@/donedate:1/stat:DELIVRD"},
    ReceiptForm{"stat:DELIVRD/msgid:@"},
    ReceiptForm{"id#@ stat#DELIVRD"},
    ReceiptForm{"id%3A@+sub%3A001+stat%3ADELIVRD"},
    ReceiptForm{"sub%3A001%20id%3A@%20stat%3ADELIVRD%20text%3Aid%3A8"},
    ReceiptForm{"<id>@</id><stat>DELIVRD</stat>"},
    ReceiptForm{"<?xml version=\"1.0\"?><dlr><id>@</id><status>DELIVRD</status></dlr>"},
    ReceiptForm{"message_id:@ stat:DELIVRD"},
    ReceiptForm{"msgid=@&stat=DELIVRD"},
    ReceiptForm{"smsid:@;stat:DELIVRD"},
    ReceiptForm{"SMS ID:@ stat:DELIVRD"},
    ReceiptForm{"id : @ stat : DELIVRD"},
    ReceiptForm{"{\"stat\": \"DELIVRD\", \"id\": \"@\"}"},
    ReceiptForm{"\"id:@ stat:DELIVRD\""},
    ReceiptForm{"id:'@' stat:'DELIVRD'"},
    ReceiptForm{"id:@:stat:DELIVRD"},
    ReceiptForm{"[id:@] [stat:DELIVRD]"},
    ReceiptForm{"(id:@)(stat:DELIVRD)"},
    ReceiptForm{"id:@sub:001dlvrd:001done date:2001010102stat:DELIVRDerr:000"},
    ReceiptForm{"id:@/Error-Code:012 stat:DELIVRD"},
    ReceiptForm{"sub:001 dlvrd:001 stat:DELIVRD err:000 id:@ text:Hello"},
    ReceiptForm{"sub:001 stat:DELIVRD err:000 text:Hello to all id:@"},
    ReceiptForm{"text:Hello id:@ stat:DELIVRD"},
    ReceiptForm{"id:@-1 stat:DELIVRD", false, "id:@ stat:DELIVRD"},
    ReceiptForm{"id @ stat DELIVRD"},
    ReceiptForm{"id @ sub 001 dlvrd 001 stat DELIVRD err 000 text"},
    ReceiptForm{"id:<@> stat:DELIVRD", false, "id:@ stat:DELIVRD"},
};

// What stands around the id in receipted_message_id; what is passed on has one NUL behind it.
struct IdParameter {
    std::string before;
    std::string behind;
};
const std::array idParameters{IdParameter{"", "\0"s}, IdParameter{"", ""},
                              IdParameter{"", " \0\0"s}, IdParameter{"\0\0"s, "\0"s},
                              IdParameter{" \t", " \r\n"}};
// Behind those: one that is empty, and none.
constexpr std::size_t emptyParameter = idParameters.size();

std::string coded(std::string_view text, SentReceipt::Coding coding) {
    std::string all;
    for (const char each : text) {
        if (coding == SentReceipt::Coding::ucs2) all += '\0';
        all += each;
        if (coding == SentReceipt::Coding::ucs2LittleEndian) all += '\0';
    }
    return all;
}

}  // namespace

SentReceipt::SentReceipt(SentMessage& about, std::size_t ofMeaning, bool odd, Random& random)
    : message(about),
      meaning(ofMeaning),
      isOdd(odd),
      form(about.smscId.size() > longestPlainId ? oddForms.data() : &usualForm),
      idParameter(emptyParameter + 1),
      oddity(random.next()) {
    if (!isOdd) return;
    idParameter = random.below(emptyParameter + 2);
    const std::string& id = message.smscId;
    const bool isPlain =
        !message.isMulti() && id.size() <= longestPlainId && id.find(' ') == std::string::npos;
    if (isPlain) form = &oddForms[random.below(oddForms.size())];
    if (!form->expected.empty()) idParameter = emptyParameter + 1;
    isMarked = message.isMulti() || !form->mayBeUnmarked || random.chance(300);
    const bool fitsTwice = 2 * (form->text.size() + longestPlainId) <= longestText;
    if (isPlain && isMarked && fitsTwice) coding = static_cast<Coding>(random.below(3));
}

bool SentReceipt::hasState() const {
    return form->text.find("DELIVRD") != std::string_view::npos;
}

std::string SentReceipt::textWith(std::string_view id, bool asSent) const {
    std::string text(asSent || form->expected.empty() ? form->text : form->expected);
    return coded(text.replace(text.find('@'), 1, id), coding);
}

// Comes from where the message went. Its parameters tell those of another meaning apart.
nio::Bytes SentReceipt::pdu(std::uint32_t sequence, bool asSent) const {
    const smpp::Scanned about = smpp::scan(message.pdu, smpp::Reading::tolerant);
    const std::string& id = asSent ? message.smscId : message.id;
    const std::string text = textWith(id, asSent);
    smpp::PduWriter pdu(smpp::Command::deliverSm, smpp::Status::ok, sequence);
    pdu.text("").number(1).number(1).text(message.number);
    pdu.number(0).number(1).text(about.pdu->text(Field::sourceAddress));
    pdu.number(isMarked || !asSent ? 4 : 0).number(0).number(0).text("").text("");
    pdu.number(0).number(0).number(coding == Coding::octets ? 0 : 8).number(0);
    pdu.number(static_cast<std::uint8_t>(text.size())).octets(nio::asBytes(text));
    if (meaning > 0) pdu.tlv(Tag::networkErrorCode, static_cast<std::uint32_t>(meaning), 2);
    if (idParameter == emptyParameter) pdu.tlv(Tag::receiptedMessageId, "");
    if (idParameter < emptyParameter) {
        const auto& [before, behind] = idParameters[idParameter];
        pdu.tlv(Tag::receiptedMessageId, asSent ? before + id + behind : id + '\0');
    }
    const nio::Bytes plain = pdu.finish();
    if (!isOdd) return plain;
    Random drawn = oddity;
    const OddPdu odd = oddPdu(Place::receipt, plain, drawn);
    return asSent ? odd.sent : odd.read;
}

}  // namespace simulation
