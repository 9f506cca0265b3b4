#include "sms_router/link/SmppDecoder.h"

namespace router {

nio::Decoded SmppDecoder::decode(nio::ByteView unread) {
    if (!bound_) bound_ = watcher_.isPeerBound();
    const smpp::Framed framed = (bound_ ? framer_ : unboundFramer_).next(unread);
    switch (framed.kind) {
        case smpp::Framed::Kind::pdu:
            return nio::Decoded::complete(framed.bytes, framed.bytes.size());
        case smpp::Framed::Kind::badLength:
            // Nothing behind it can be understood.
            return nio::Decoded::complete(framed.bytes, unread.size());
        case smpp::Framed::Kind::needMore: break;
    }
    watcher_.pduIncomplete(unread.size());
    return nio::Decoded::incomplete();
}

nio::Result<void> SmppDecoder::encode(nio::ByteView packet, nio::ByteSink& sink) const {
    sink.append(packet);
    return {};
}

}  // namespace router
