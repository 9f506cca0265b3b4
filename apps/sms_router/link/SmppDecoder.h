// SMPP's framing for a PacketChannel: a packet is a whole PDU, its command_length included. A PDU
// whose length cannot be is given as its header alone, so that the session can answer it. So is one
// over PduLimits::unbound before the peer is bound: a stranger makes us keep little.
//
// Thread: that of its owner. Lifetime: the watcher must outlive it.
#pragma once

#include <algorithm>

#include <nio/codec/ProtocolDecoder.h>

#include <smpp/pdu/PduFramer.h>

namespace router {

class PduWatcher {
  public:
    // So much of a PDU waits for its rest.
    virtual void pduIncomplete(std::size_t octets) = 0;
    // Asked for each PDU until it is true.
    virtual bool isPeerBound() const = 0;

  protected:
    ~PduWatcher() = default;
};

// Of command_length.
struct PduLimits {
    std::size_t bytes = 0;
    std::size_t unbound = 1024;  // before the peer is bound; never more than `bytes`
};

class SmppDecoder final : public nio::ProtocolDecoder {
  public:
    SmppDecoder(PduLimits limits, PduWatcher& watcher)
        : framer_(limits.bytes),
          unboundFramer_(std::min(limits.bytes, limits.unbound)),
          watcher_(watcher) {}

    nio::Decoded decode(nio::ByteView unread) override;
    // `packet` is a PDU already.
    nio::Result<void> encode(nio::ByteView packet, nio::ByteSink& sink) const override;
    std::size_t maximumPacketBytes() const override { return framer_.maximumPduBytes(); }

  private:
    smpp::PduFramer framer_;
    smpp::PduFramer unboundFramer_;
    PduWatcher& watcher_;
    bool bound_ = false;  // or was
};

}  // namespace router
