#include "simulation/router/OddPdu.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include <smpp/pdu/BigEndian.h>

namespace simulation {

using namespace std::string_literals;
using smpp::Field;
using smpp::Status;

namespace {

using At = std::ptrdiff_t;

struct Oddity {
    const char* name;
    unsigned places;
    void (*apply)(OddPdu& pdu, Random& random);
};

constexpr unsigned operator|(Place one, Place other) {
    return static_cast<unsigned>(one) | static_cast<unsigned>(other);
}
constexpr unsigned operator|(unsigned some, Place other) {
    return some | static_cast<unsigned>(other);
}

constexpr unsigned submits = Place::submit | Place::multi;
constexpr unsigned deliveries = Place::original | Place::receipt;
constexpr unsigned noTlvs = Place::bind | Place::query;
constexpr unsigned withId = Place::accepted | Place::multiAccepted;
constexpr unsigned fullAnswers = withId | Place::bindAnswer | Place::acknowledgement;
constexpr unsigned endsWithText =
    Place::accepted | Place::bindAnswer | Place::acknowledgement | Place::alert;
constexpr unsigned fullPdus = submits | deliveries | noTlvs | fullAnswers | Place::alert;

// Responses with the same fields.
constexpr std::array alike{smpp::Command::submitSmResp, smpp::Command::dataSmResp,
                           smpp::Command::deliverSmResp};
constexpr std::size_t commandAt = 4;  // in a header
constexpr std::size_t tlvHead = 4;

// As some write them.
const std::vector<std::string> oddTlvs{
    "\4\x23\0\2\0\7"s,      // network_error_code
    "\4\x23\0\4\0\0\0\7"s,  //
    "\4\x27\0\4\0\0\0\2"s,  // message_state
    "\4\x27\0\x8"
    "DELIVRD\0"s,           //
    "\2\4\0\1\7"s,          // user_message_reference
    "\2\x0C\0\1\7"s,        // sar_msg_ref_num
    "\2\x0C\0\4\0\0\0\7"s,  //
    "\2\x0E\0\2\0\2"s,      // sar_total_segments
    "\2\x0F\0\4\0\0\0\1"s,  // sar_segment_seqnum
    "\3\x81\0\0"s,          // callback_num
};
// They may stand where a string lacks its NUL.
const std::vector<std::string> answerTlvs{"\4\x25\0\1\0"s, "\4\x23\0\3\3\0\1"s,
                                          "\4\x25\0\1\0\x14\1\0\2hi"s};
const std::vector<std::string> longVersions{"\2\x10\0\2\0\x34"s, "\2\x10\0\2\x34\0"s,
                                            "\2\x10\0\4\0\0\0\x34"s, "\2\x10\0\0"s};

const std::string& oneOf(const std::vector<std::string>& some, Random& random) {
    return some[random.below(some.size())];
}

std::string nuls(Random& random) {
    return std::string(random.between(1, 9), '\0');
}

void replace(nio::Bytes& pdu, std::size_t at, std::size_t size, std::string_view with) {
    const auto from = pdu.begin() + static_cast<At>(at);
    const auto next = pdu.erase(from, from + static_cast<At>(size));
    const nio::ByteView octets = nio::asBytes(with);
    pdu.insert(next, octets.begin(), octets.end());
    smpp::put32(pdu.data(), static_cast<std::uint32_t>(pdu.size()));
}

void append(nio::Bytes& pdu, std::string_view more) {
    replace(pdu, pdu.size(), 0, more);
}

void cut(nio::Bytes& pdu, std::size_t octets) {
    replace(pdu, pdu.size() - octets, octets, "");
}

void cutBody(nio::Bytes& pdu) {
    cut(pdu, pdu.size() - smpp::Header::bytes);
}

void appendToBoth(OddPdu& pdu, std::string_view more) {
    append(pdu.sent, more);
    append(pdu.read, more);
}

smpp::Pdu fieldsOf(const nio::Bytes& pdu) {
    return *smpp::scan(pdu, smpp::Reading::tolerant).pdu;
}

void setField(OddPdu& pdu, Field field, std::string_view octets) {
    const smpp::Pdu plain = fieldsOf(pdu.read);
    replace(pdu.read, plain.offsetOf(field), plain.sizeOf(field), octets);
    pdu.sent = pdu.read;
}

// What is there, and fours behind it.
void lengthen(OddPdu& pdu, Field field, std::size_t size) {
    std::string text(fieldsOf(pdu.read).text(field));
    if (text.size() < size) text.resize(size, '4');
    setField(pdu, field, text + '\0');
}

// The first string of the body, without its NUL.
std::string firstText(const OddPdu& pdu) {
    const std::string body(nio::asText(pdu.read).substr(smpp::Header::bytes));
    return body.substr(0, body.find('\0'));
}

void setBody(nio::Bytes& pdu, std::string_view body) {
    cutBody(pdu);
    append(pdu, body);
}

std::string cutTlv(Random& random, bool isRepaired) {
    const std::string value(random.below(9), 'x');
    return "\x14\1\0"s + static_cast<char>(isRepaired ? value.size() : 9) + value;
}

void refuse(OddPdu& pdu, Status status) {
    pdu.refused = status;
}

const std::vector<Oddity> oddities{
    {"NULs at the end", fullPdus | Place::refusal,
     [](OddPdu& pdu, Random& random) { append(pdu.sent, nuls(random)); }},
    {"a TLV of another length", fullPdus,
     [](OddPdu& pdu, Random& random) { appendToBoth(pdu, oneOf(oddTlvs, random)); }},
    {"NULs before, between and behind TLVs", fullPdus,
     [](OddPdu& pdu, Random& random) {
         for (std::size_t more = random.between(1, 3); more > 0; --more) {
             append(pdu.sent, nuls(random));
             appendToBoth(pdu, oneOf(oddTlvs, random));
         }
         if (random.chance(500)) append(pdu.sent, nuls(random));
     }},
    {"a cut TLV", submits,
     [](OddPdu& pdu, Random& random) {
         append(pdu.sent, cutTlv(random, false));
         refuse(pdu, Status::invOptParStream);
     }},
    {"a cut TLV where none is allowed", noTlvs,
     [](OddPdu& pdu, Random& random) {
         append(pdu.sent, cutTlv(random, false));
         refuse(pdu, Status::invCmdLen);
     }},
    {"a cut TLV of an SMSC", deliveries | Place::alert,
     [](OddPdu& pdu, Random& random) {
         Random same = random;
         append(pdu.sent, cutTlv(random, false));
         append(pdu.read, cutTlv(same, true));
     }},
    {"a cut TLV of an answer", fullAnswers,
     [](OddPdu& pdu, Random& random) { append(pdu.sent, cutTlv(random, false)); }},
    {"a TLV without a length", deliveries | fullAnswers | Place::alert,
     [](OddPdu& pdu, Random&) { append(pdu.sent, "\x14\1"); }},
    {"a source_addr of 21 and more", submits | Place::original,
     [](OddPdu& pdu, Random& random) {
         lengthen(pdu, Field::sourceAddress, random.between(21, 64));
     }},
    {"a source_addr of up to 255", Place::original | Place::alert,
     [](OddPdu& pdu, Random& random) {
         lengthen(pdu, Field::sourceAddress, random.between(65, 255));
     }},
    {"a service_type of 6 and more", submits | deliveries,
     [](OddPdu& pdu, Random& random) { lengthen(pdu, Field::serviceType, random.between(6, 64)); }},
    {"a system_type of 13 and more", static_cast<unsigned>(Place::bind),
     [](OddPdu& pdu, Random& random) { lengthen(pdu, Field::systemType, random.between(13, 64)); }},
    {"a validity_period of any length", submits | deliveries,
     [](OddPdu& pdu, Random& random) {
         lengthen(pdu, Field::validityPeriod, random.between(1, 64));
     }},
    {"an sm_length of 255", submits | Place::original,
     [](OddPdu& pdu, Random&) {
         const smpp::Pdu plain = fieldsOf(pdu.read);
         const std::string text = std::string(nio::asText(plain.message())) + " ";
         const std::size_t at = plain.offsetOf(Field::messageLength);
         const std::size_t size = 1 + plain.sizeOf(Field::shortMessage);
         replace(pdu.read, at, size, "\xFF" + text + std::string(255 - text.size(), 'x'));
         pdu.sent = pdu.read;
     }},
    {"an sm_length past the end", submits,
     [](OddPdu& pdu, Random&) {
         cut(pdu.sent, 1);
         refuse(pdu, Status::invMsgLen);
     }},
    {"an sm_length past the end, of an SMSC", static_cast<unsigned>(Place::original),
     [](OddPdu& pdu, Random& random) {
         const std::size_t at = fieldsOf(pdu.read).offsetOf(Field::messageLength);
         const std::size_t more =
             std::to_integer<std::size_t>(pdu.sent[at]) + random.between(1, 99);
         pdu.sent[at] = static_cast<nio::Byte>(std::min<std::size_t>(more, 255));
     }},
    {"a text that sm_length does not count", deliveries,
     [](OddPdu& pdu, Random& random) {
         const smpp::Pdu plain = fieldsOf(pdu.read);
         const std::string_view text = nio::asText(plain.message());
         const auto isPrintable = [](char each) { return each >= ' ' && each < '\x7F'; };
         if (text.size() < tlvHead || !std::all_of(text.begin(), text.end(), isPrintable)) return;
         const std::size_t counted = random.below(text.size() - tlvHead + 1);
         pdu.sent[plain.offsetOf(Field::messageLength)] = static_cast<nio::Byte>(counted);
     }},
    {"esm_class says receipt", submits,
     [](OddPdu& pdu, Random&) {
         setField(pdu, Field::esmClass, "\4");
         refuse(pdu, Status::invEsmClass);
     }},
    {"a receipted_message_id", submits,
     [](OddPdu& pdu, Random&) {
         append(pdu.sent,
                "\0\x1E\0\2"
                "7\0"s);
         refuse(pdu, Status::optParNotAllwd);
     }},
    {"no NUL at the end", endsWithText, [](OddPdu& pdu, Random&) { cut(pdu.sent, 1); }},
    {"no NUL at the end of a bind", static_cast<unsigned>(Place::bind),
     [](OddPdu& pdu, Random&) {
         cut(pdu.sent, 1);
         refuse(pdu, Status::invCmdLen);
     }},
    {"no NUL at the end of a query", static_cast<unsigned>(Place::query),
     [](OddPdu& pdu, Random&) {
         cut(pdu.sent, 1);
         refuse(pdu, Status::invSrcAdr);
     }},
    {"no NUL before a TLV", Place::accepted | Place::bindAnswer | Place::acknowledgement,
     [](OddPdu& pdu, Random& random) {
         cut(pdu.sent, 1);
         appendToBoth(pdu, oneOf(answerTlvs, random));
     }},
    {"the command of another response", Place::accepted | Place::acknowledgement,
     [](OddPdu& pdu, Random& random) {
         const std::size_t drawn = random.below(alike.size());
         smpp::put32(pdu.sent.data() + commandAt, static_cast<std::uint32_t>(alike[drawn]));
     }},
    {"no count, and no NUL before it", static_cast<unsigned>(Place::multiAccepted),
     [](OddPdu& pdu, Random& random) {
         const std::string id = firstText(pdu);
         const std::string more = random.chance(500) ? oneOf(answerTlvs, random) : "";
         setBody(pdu.sent, id + more);
         setBody(pdu.read, id + "\0\0"s + more);
     }},
    {"a cut list of those not accepted", static_cast<unsigned>(Place::multiAccepted),
     [](OddPdu& pdu, Random& random) {
         const std::string id = firstText(pdu);
         const std::size_t list = fieldsOf(pdu.read).sizeOf(Field::unsuccess);
         cut(pdu.sent, 1 + random.below(list));
         setBody(pdu.read, id + "\0\0"s);
     }},
    {"an id without an end", withId | Place::acknowledgement | Place::refusal,
     [](OddPdu& pdu, Random& random) {
         cutBody(pdu.read);
         setBody(pdu.sent, std::string(random.between(1024, 2000), 'b'));
     }},
    {"a system_id without an end", static_cast<unsigned>(Place::bindAnswer),
     [](OddPdu& pdu, Random& random) {
         cutBody(pdu.read);
         setBody(pdu.sent, std::string(random.between(65, 400), 'b'));
     }},
    {"no body", fullAnswers | Place::refusal,
     [](OddPdu& pdu, Random&) {
         cutBody(pdu.read);
         pdu.sent = pdu.read;
     }},
    {"an id of over 64 octets", withId,
     [](OddPdu& pdu, Random& random) {
         const std::string more(random.between(61, 180), 'f');
         setField(pdu, Field::messageId, more + firstText(pdu) + '\0');
     }},
    {"an id with blanks", withId,
     [](OddPdu& pdu, Random&) {
         setField(pdu, Field::messageId, "MC 70 " + firstText(pdu) + '\0');
     }},
    {"a system_id of 16 and more", static_cast<unsigned>(Place::bindAnswer),
     [](OddPdu& pdu, Random& random) { lengthen(pdu, Field::systemId, random.between(16, 64)); }},
    {"a version of other lengths", static_cast<unsigned>(Place::bindAnswer),
     [](OddPdu& pdu, Random& random) { appendToBoth(pdu, oneOf(longVersions, random)); }},
};

}  // namespace

OddPdu oddPdu(Place place, const nio::Bytes& pdu, Random& random) {
    std::vector<const Oddity*> fitting;
    for (const Oddity& each : oddities) {
        if ((each.places & static_cast<unsigned>(place)) != 0) fitting.push_back(&each);
    }
    const Oddity& drawn = *fitting[random.below(fitting.size())];
    OddPdu odd{pdu, pdu, Status::ok, drawn.name};
    drawn.apply(odd, random);
    return odd;
}

std::optional<smpp::Pdu> wellFormed(nio::ByteView octets) {
    const smpp::Scanned scanned = smpp::scan(octets, smpp::Reading::tolerant);
    const bool isWhole = scanned.pdu && scanned.pdu->bytes().size() == octets.size();
    return isWhole && !scanned.pdu->tlvs().find(smpp::Tag{0}) ? scanned.pdu : std::nullopt;
}

nio::ByteView bodyFor(std::uint8_t version, nio::ByteView pdu) {
    const smpp::Scanned scanned = smpp::scan(pdu, smpp::Reading::tolerant);
    const std::size_t end = version < 0x34 && scanned.pdu ? scanned.pdu->tlvOffset() : pdu.size();
    return pdu.subspan(smpp::Header::bytes, end - smpp::Header::bytes);
}

}  // namespace simulation
