#include <smpp/text/UserDataHeader.h>

namespace smpp {

namespace {

constexpr std::uint8_t udhIndicator = 0x40;

bool hasHeader(const Pdu& pdu) {
    return (pdu.number(Field::esmClass) & udhIndicator) != 0;
}

}  // namespace

bool UserDataHeader::Iterator::isWhole(nio::ByteView rest) {
    return rest.size() >= 2 && rest.size() - 2 >= std::to_integer<std::size_t>(rest[1]);
}

UserDataElement UserDataHeader::Iterator::operator*() const {
    return {std::to_integer<std::uint8_t>(rest_[0]),
            rest_.subspan(2, std::to_integer<std::size_t>(rest_[1]))};
}

UserDataHeader::Iterator& UserDataHeader::Iterator::operator++() {
    *this = Iterator(rest_.subspan(2 + std::to_integer<std::size_t>(rest_[1])));
    return *this;
}

UserDataHeader::UserDataHeader(const Pdu& pdu)
    : UserDataHeader(hasHeader(pdu) ? pdu.message() : nio::ByteView{}) {}

UserDataHeader::UserDataHeader(nio::ByteView message) {
    if (message.empty()) return;
    const auto length = std::to_integer<std::size_t>(message[0]);
    if (length > message.size() - 1) return;
    elements_ = message.subspan(1, length);
    size_ = 1 + length;
}

namespace {

unsigned octet(nio::ByteView value, std::size_t index) {
    return std::to_integer<unsigned>(value[index]);
}

unsigned number(nio::ByteView value) {
    unsigned found = 0;
    for (std::size_t i = 0; i < value.size(); ++i) found = found << 8 | octet(value, i);
    return found;
}

std::optional<Concatenation> sensible(Concatenation found) {
    constexpr unsigned mostParts = 255;
    if (found.part == 0 || found.part > found.total || found.total > mostParts) return std::nullopt;
    return found;
}

std::optional<Concatenation> read(const UserDataElement& element) {
    const nio::ByteView value = element.value;
    if (element.identifier == UserDataElement::reference8 && value.size() == 3)
        return sensible({octet(value, 0), octet(value, 1), octet(value, 2)});
    if (element.identifier == UserDataElement::reference16 && value.size() == 4)
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
    const auto isNumber = [](nio::ByteView value) { return !value.empty() && value.size() <= 4; };
    if (!isNumber(reference) || !isNumber(total) || !isNumber(part)) return std::nullopt;
    return sensible({number(reference), number(total), number(part)});
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
