// A stream of octets as SMPP PDUs. What must hold:
//  - where the stream is cut changes nothing of what the framer finds;
//  - a PDU that is accepted is, field by field and TLV by TLV, written again as the same octets
//    (but for a body that is not looked at: of an unknown command, or a malformed one of an error
//    answer, which stays as it came);
//  - a tolerant reading accepts what a strict one does, and what was mended;
//  - a patch without changes gives the same octets; one with changes gives a PDU that is accepted
//    and says what was put there, and everything else as before;
//  - what is read out of it (receipt, parts, user data header, text) lies within it.
//
// Input: how many cuts, the sizes of the pieces, what to patch; then the stream. So that most of it
// is not lost on command_length, that of the first PDU may be given as "all that is left".

#include <array>
#include <vector>

#include <smpp/pdu/BigEndian.h>
#include <smpp/pdu/Pdu.h>
#include <smpp/pdu/PduFramer.h>
#include <smpp/pdu/PduPatch.h>
#include <smpp/pdu/PduWriter.h>
#include <smpp/pdu/Repair.h>
#include <smpp/text/MessageText.h>
#include <smpp/text/Receipt.h>
#include <smpp/text/UserDataHeader.h>

#include "fuzz/FuzzTarget.h"

namespace {

using fuzz::require;
using smpp::Field;
using smpp::Pdu;

constexpr std::size_t maximum = 2000;

// --- framing --------------------------------------------------------------------------------

struct Found {
    std::vector<std::string> pdus;
    std::string badHeader;
    std::string tail;
    bool isBroken = false;
};

void feed(Found& found, std::string_view arrived) {
    if (found.isBroken) return;
    found.tail += arrived;
    for (;;) {
        const nio::Bytes exact = nio::copyOf(nio::asBytes(found.tail));
        const smpp::Framed framed = smpp::PduFramer(maximum).next(exact);
        if (framed.kind == smpp::Framed::Kind::needMore) break;
        const std::string bytes(nio::asText(framed.bytes));
        if (framed.kind == smpp::Framed::Kind::badLength) {
            found.isBroken = true;
            found.badHeader = bytes;
            found.tail.clear();
            break;
        }
        found.pdus.push_back(bytes);
        found.tail.erase(0, bytes.size());
    }
    require(found.tail.size() < maximum, "what is kept is bounded");
}

Found foundIn(std::string_view stream, std::string_view sizes) {
    Found found;
    for (std::size_t i = 0; !stream.empty(); ++i) {
        const std::size_t wanted =
            sizes.empty() ? stream.size() : 1 + static_cast<unsigned char>(sizes[i % sizes.size()]);
        feed(found, stream.substr(0, wanted));
        stream.remove_prefix(std::min(wanted, stream.size()));
    }
    return found;
}

// Of a header whose length is bad, what had come of it when the length was known is shown.
void requireSame(const Found& whole, const Found& pieces) {
    require(pieces.pdus == whole.pdus && pieces.tail == whole.tail, "the same PDUs, the same tail");
    require(pieces.isBroken == whole.isBroken, "it breaks in the same place");
    require(whole.badHeader.starts_with(pieces.badHeader), "it is the same header");
    if (pieces.isBroken) require(pieces.badHeader.size() >= 4, "with its length");
}

// --- reading and writing --------------------------------------------------------------------

bool isOctets(Field field) {
    return field == Field::shortMessage || field == Field::destinations ||
           field == Field::unsuccess;
}

bool isText(Field field) {
    switch (field) {
        case Field::systemId:
        case Field::password:
        case Field::systemType:
        case Field::addressRange:
        case Field::serviceType:
        case Field::sourceAddress:
        case Field::destinationAddress:
        case Field::esmAddress:
        case Field::scheduleTime:
        case Field::validityPeriod:
        case Field::messageId:
        case Field::finalDate: return true;
        default: return false;
    }
}

std::vector<Field> fieldsOf(const Pdu& pdu) {
    std::vector<Field> fields;
    for (std::size_t at = smpp::Header::bytes, last = 0; at != last && at < pdu.tlvOffset();) {
        last = at;
        for (std::size_t i = 0; i < static_cast<std::size_t>(Field::count); ++i) {
            const auto field = static_cast<Field>(i);
            if (!pdu.has(field) || pdu.offsetOf(field) != at || pdu.sizeOf(field) == 0) continue;
            fields.push_back(field);
            at += pdu.sizeOf(field);
            break;
        }
    }
    return fields;
}

std::string written(const Pdu& pdu) {
    smpp::PduWriter writer(pdu.command(), pdu.status(), pdu.sequence());
    const std::vector<Field> fields = fieldsOf(pdu);
    if (fields.empty()) {
        writer.octets(pdu.bytes().first(pdu.tlvOffset()).subspan(smpp::Header::bytes));
    }
    for (const Field field : fields) {
        if (isText(field)) {
            writer.text(pdu.text(field));
        } else if (isOctets(field)) {
            writer.octets(pdu.octets(field));
        } else {
            writer.number(pdu.number(field));
        }
    }
    for (const smpp::Tlv& tlv : pdu.tlvs()) writer.tlv(tlv.tag, tlv.value);
    return std::string(nio::asText(writer.finish()));
}

bool isWithin(nio::ByteView part, nio::ByteView whole) {
    return part.empty() || (part.data() >= whole.data() &&
                            part.data() + part.size() <= whole.data() + whole.size());
}

void readOut(const Pdu& pdu) {
    const nio::ByteView message = pdu.message();
    require(isWithin(message, pdu.bytes()), "the message lies in the PDU");
    const smpp::UserDataHeader header(pdu);
    require(header.size() <= message.size(), "the user data header lies in the message");
    for (const smpp::UserDataElement& element : header) {
        require(isWithin(element.value, message), "its elements do");
    }
    if (const auto parts = smpp::concatenationOf(pdu)) {
        require(parts->part >= 1 && parts->part <= parts->total && parts->total <= 255,
                "a part is one of all");
    }
    for (const char c : smpp::messageText(pdu, 100)) {
        require(static_cast<unsigned char>(c) >= ' ' && c != 0x7F,
                "a line has no control characters");
    }
    const auto receipt = smpp::receiptOf(pdu);
    if (!receipt) return;
    require(!receipt->id().empty(), "a receipt names its message");
    require(receipt->idOffset + receipt->idSize <= message.size(), "its id lies in the message");
    if (!receipt->hasTextId()) return;
    const std::string_view text = receipt->textId.view();
    const nio::Bytes id = smpp::idOctets(text, receipt->form);
    // Several characters of UCS2 are read as DEL.
    if (receipt->form != smpp::Receipt::Form::octets && text.find('\x7F') != text.npos) return;
    const nio::ByteView there = message.subspan(receipt->idOffset, receipt->idSize);
    require(nio::asText(id) == nio::asText(there), "its id is what stands there");
}

// --- patching -------------------------------------------------------------------------------

// All but `changed` (and what counts it).
void requireSameFields(const Pdu& before, const Pdu& after, Field changed, bool isMessage) {
    for (std::size_t i = 0; i < static_cast<std::size_t>(Field::count); ++i) {
        const auto field = static_cast<Field>(i);
        const bool counts = field == Field::messageLength || field == Field::shortMessage;
        if (field == changed || (isMessage && counts)) continue;
        require(before.has(field) == after.has(field) &&
                    nio::asText(before.octets(field)) == nio::asText(after.octets(field)),
                "a patch leaves the other fields alone");
    }
}

void patchText(const Pdu& pdu, Field field, std::string_view value) {
    smpp::PduPatch patch(pdu);
    if (!patch.text(field, value)) return;
    const nio::Bytes bytes = patch.bytes();
    const smpp::Scanned again = smpp::scan(bytes, smpp::Reading::tolerant);
    require(again.pdu.has_value(), "a patched PDU is accepted");
    require(again.pdu->text(field) == value, "it says what was put there");
    requireSameFields(pdu, *again.pdu, field, false);
    require(nio::asText(again.pdu->tlvs().octets()) == nio::asText(pdu.tlvs().octets()),
            "a patch leaves the TLVs alone");
}

void patchMessage(const Pdu& pdu, std::size_t offset, std::size_t size, std::string_view value) {
    const std::string before(nio::asText(pdu.message()));
    if (offset > before.size() || size > before.size() - offset) return;
    smpp::PduPatch patch(pdu);
    if (!patch.message(offset, size, nio::asBytes(value))) return;
    const nio::Bytes bytes = patch.bytes();
    const smpp::Scanned again = smpp::scan(bytes, smpp::Reading::tolerant);
    require(again.pdu.has_value(), "a PDU with another message is accepted");
    std::string wanted = before;
    wanted.replace(offset, size, value);
    // An empty payload beside a short message is not the message any more.
    if (!wanted.empty()) {
        require(nio::asText(again.pdu->message()) == wanted, "it has that message");
    }
    requireSameFields(pdu, *again.pdu, Field::count, true);
}

struct Change {
    Field field;
    std::size_t offset;
    std::size_t size;
    std::string_view value;
};

void accepted(const Pdu& pdu, const Change& change) {
    std::string bytes(nio::asText(pdu.bytes()));
    // Of an answer that is taken as if it had ended before its optional parameters.
    smpp::put32(reinterpret_cast<nio::Byte*>(bytes.data()), pdu.header().length);
    require(written(pdu) == bytes, "what is read is written again as the same octets");
    require(nio::asText(smpp::PduPatch(pdu).bytes()) == bytes, "no change, no difference");
    readOut(pdu);
    patchText(pdu, change.field, change.value);
    patchMessage(pdu, change.offset, change.size, change.value);
}

// A tolerant reading accepts what a strict one does; what is mended is accepted.
void readTolerantly(const nio::Bytes& bytes, bool isByTheBook, const Change& change) {
    const smpp::Scanned scanned = smpp::scan(bytes, smpp::Reading::tolerant);
    require(scanned.pdu || !isByTheBook, "what is by the book is accepted");
    if (scanned.pdu) accepted(*scanned.pdu, change);
    for (const smpp::Missing missing : {smpp::Missing::refused, smpp::Missing::mended}) {
        const std::optional<smpp::Repaired> mended = smpp::repaired(bytes, missing);
        if (!mended) continue;
        const smpp::Scanned again = smpp::scan(mended->pdu, smpp::Reading::tolerant);
        require(again.pdu.has_value(), "what is mended is accepted");
        accepted(*again.pdu, change);
    }
}

void run(fuzz::FuzzInput input) {
    const bool lengthIsAll = input.upTo(3) != 0;
    const std::string_view sizes = input.take(input.upTo(7));
    Change change;
    change.field = static_cast<Field>(input.upTo(static_cast<std::size_t>(Field::count) - 1));
    change.offset = input.byte();
    change.size = input.byte();
    change.value = input.take(input.upTo(70));
    std::string stream(input.rest());
    if (lengthIsAll && stream.size() >= 4) {
        smpp::put32(reinterpret_cast<nio::Byte*>(stream.data()),
                    static_cast<std::uint32_t>(stream.size()));
    }

    const Found found = foundIn(stream, {});
    requireSame(found, foundIn(stream, sizes));
    for (const std::string& bytes : found.pdus) {
        const nio::Bytes exact = nio::copyOf(nio::asBytes(bytes));
        const smpp::Scanned scanned = smpp::scan(exact);
        require(scanned.pdu.has_value() == (scanned.problem == smpp::Status::ok),
                "accepted, or a problem");
        if (scanned.pdu) accepted(*scanned.pdu, change);
        readTolerantly(exact, scanned.pdu.has_value(), change);
    }
}

const fuzz::FuzzTarget target("smpp_pdu", run);

}  // namespace
