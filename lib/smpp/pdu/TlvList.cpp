#include <smpp/pdu/BigEndian.h>
#include <smpp/pdu/TlvList.h>

namespace smpp {

namespace {

constexpr std::size_t headBytes = 4;

}  // namespace

Tlv TlvList::Iterator::operator*() const {
    const nio::Byte* at = rest_.data();
    return {static_cast<Tag>(get16(at)), rest_.subspan(headBytes, get16(at + 2))};
}

TlvList::Iterator& TlvList::Iterator::operator++() {
    rest_ = rest_.subspan(headBytes + get16(rest_.data() + 2));
    return *this;
}

std::optional<nio::ByteView> TlvList::find(Tag tag) const {
    for (const Tlv& tlv : *this) {
        if (tlv.tag == tag) return tlv.value;
    }
    return std::nullopt;
}

std::size_t TlvList::wholeOctets(nio::ByteView octets) {
    std::size_t whole = 0;
    while (octets.size() - whole >= headBytes) {
        const std::size_t size = headBytes + get16(octets.data() + whole + 2);
        if (size > octets.size() - whole) break;
        whole += size;
    }
    return whole;
}

}  // namespace smpp
