// The framing stage of an SMPP connection: cuts the stream into PDUs, command_length included. PDUs
// of ours are sent as they are.
//
// A PDU with an invalid command_length is passed on as its header alone, so that the session can
// answer it, and the rest of the stream is discarded. So is a PDU longer than PduLimits::unbound
// before the peer is bound: an unknown peer must not fill our memory.
//
// Thread: the connection's dispatcher. Lifetime: the link must outlive it.
// Source: SMPP 3.4, 3.2.1.
#pragma once

#include <algorithm>

#include <nio/pipeline/Context.h>
#include <nio/pipeline/Stage.h>

#include <smpp/pdu/PduFramer.h>

namespace router {

// Of command_length.
struct PduLimits {
    std::size_t bytes = 0;
    std::size_t unbound = 1024;  // before the peer is bound; never more than `bytes`
};

// Link::wasBound() is asked before each PDU until it is true; Link::waitsForRest(octets) is told
// how much of an incomplete PDU has arrived.
template <class Link>
class PduFraming {
  public:
    using In = nio::ByteStream;
    using Out = nio::Packet;

    PduFraming(PduLimits limits, Link& link)
        : framer_(limits.bytes),
          unboundFramer_(std::min(limits.bytes, limits.unbound)),
          link_(&link) {}

    std::size_t read(auto& context, nio::ByteView unread) NIO_REQUIRES(nio::onDispatcher) {
        if (!bound_) bound_ = link_->wasBound();
        const smpp::Framed framed = (bound_ ? framer_ : unboundFramer_).next(unread);
        using Kind = smpp::Framed::Kind;
        if (framed.kind == Kind::needMore) {
            link_->waitsForRest(unread.size());
            return 0;
        }
        const bool isPdu = framed.kind == Kind::pdu;
        const std::size_t taken = isPdu ? framed.bytes.size() : unread.size();
        context.taken(taken);
        context.read(framed.bytes);
        return taken;
    }

  private:
    smpp::PduFramer framer_;
    smpp::PduFramer unboundFramer_;
    Link* link_;
    bool bound_ = false;  // or was
};

}  // namespace router
