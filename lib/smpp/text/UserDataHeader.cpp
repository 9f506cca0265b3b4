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

}  // namespace smpp
