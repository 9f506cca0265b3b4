// SMPP's framing for a PacketChannel: a packet is a whole PDU, its command_length included. A PDU
// whose length cannot be is given as its header alone, so that the session can answer it.
//
// Thread: that of its owner. Lifetime: the watcher must outlive it.
#pragma once

#include <nio/codec/ProtocolDecoder.h>

#include <smpp/pdu/PduFramer.h>

namespace router {

// Hears how much of a PDU waits for its rest.
class PduWatcher {
  public:
    virtual void pduIncomplete(std::size_t octets) = 0;

  protected:
    ~PduWatcher() = default;
};

class SmppDecoder final : public nio::ProtocolDecoder {
  public:
    SmppDecoder(std::size_t maximumPduBytes, PduWatcher& watcher)
        : framer_(maximumPduBytes), watcher_(watcher) {}

    nio::Decoded decode(nio::ByteView unread) override;
    // `packet` is a PDU already.
    nio::Result<void> encode(nio::ByteView packet, nio::ByteSink& sink) const override;
    std::size_t maximumPacketBytes() const override { return framer_.maximumPduBytes(); }

  private:
    smpp::PduFramer framer_;
    PduWatcher& watcher_;
};

}  // namespace router
