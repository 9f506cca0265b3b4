#include <algorithm>

#include <smpp/pdu/BigEndian.h>
#include <smpp/pdu/Pdu.h>
#include <smpp/pdu/PduFramer.h>

namespace smpp {

Framed PduFramer::next(nio::ByteView unread) const {
    if (unread.size() < 4) return {};
    const std::size_t length = get32(unread.data());
    const nio::ByteView header = unread.first(std::min(unread.size(), Header::bytes));
    if (length < Header::bytes) return {Framed::Kind::badLength, header};
    if (unread.size() < Header::bytes) return {};
    if (length > maximum_) return {Framed::Kind::badLength, header};
    if (unread.size() < length) return {};
    return {Framed::Kind::pdu, unread.first(length)};
}

}  // namespace smpp
