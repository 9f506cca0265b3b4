#include <smpp/text/Concatenation.h>

#include <smpp/text/UserDataHeader.h>

namespace smpp {

namespace {

constexpr std::uint8_t reference8 = 0x00;
constexpr std::uint8_t reference16 = 0x08;

unsigned octet(nio::ByteView value, std::size_t index) {
    return std::to_integer<unsigned>(value[index]);
}

std::optional<Concatenation> sensible(Concatenation found) {
    if (found.part == 0 || found.part > found.total) return std::nullopt;
    return found;
}

std::optional<Concatenation> read(const UserDataElement& element) {
    const nio::ByteView value = element.value;
    if (element.identifier == reference8 && value.size() == 3)
        return sensible({octet(value, 0), octet(value, 1), octet(value, 2)});
    if (element.identifier == reference16 && value.size() == 4)
        return sensible({octet(value, 0) << 8 | octet(value, 1), octet(value, 2), octet(value, 3)});
    return std::nullopt;
}

std::optional<Concatenation> fromTlvs(const TlvList& tlvs) {
    nio::ByteView reference;
    nio::ByteView total;
    nio::ByteView part;
    for (const Tlv& tlv : tlvs) {
        if (tlv.tag == Tag::sarMsgRefNum) reference = tlv.value;
        if (tlv.tag == Tag::sarTotalSegments) total = tlv.value;
        if (tlv.tag == Tag::sarSegmentSeqnum) part = tlv.value;
    }
    if (reference.size() != 2 || total.size() != 1 || part.size() != 1) return std::nullopt;
    return sensible(
        {octet(reference, 0) << 8 | octet(reference, 1), octet(total, 0), octet(part, 0)});
}

}  // namespace

std::optional<Concatenation> concatenationOf(const Pdu& pdu) {
    // Of several such elements the last counts (23.040, 9.2.3.24).
    std::optional<Concatenation> found;
    for (const UserDataElement& element : UserDataHeader(pdu))
        if (const auto here = read(element)) found = here;
    return found ? found : fromTlvs(pdu.tlvs());
}

}  // namespace smpp
