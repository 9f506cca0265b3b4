// Packets of one fixed length, back to back.
//
// encode() refuses a packet of another length (notEncodable). No bytes are malformed.
//
// Thread: that of its owner. Lifetimes: as ProtocolDecoder.h says.
// Errors: the constructor throws std::invalid_argument for a length of zero.
#pragma once

#include <stdexcept>

#include <nio/codec/Framed.h>

namespace nio {

class FixedLengthDecoder final : public ProtocolDecoder {
  public:
    explicit FixedLengthDecoder(std::size_t packetBytes) : packetBytes_(packetBytes) {
        if (packetBytes == 0) {
            throw std::invalid_argument("FixedLengthDecoder: packetBytes must not be 0");
        }
    }

    Decoded decode(ByteView unread) override {
        if (unread.size() < packetBytes_) return Decoded::incomplete();
        return Decoded::complete(unread.first(packetBytes_), packetBytes_);
    }
    Result<void> encode(ByteView packet, ByteSink& sink) const override {
        return frame(packet, sink);
    }
    template <class Sink>
    Result<void> frame(ByteView packet, Sink& sink) const {
        if (packet.size() != packetBytes_) return Errc::notEncodable;
        sink.append(packet);
        return {};
    }
    std::size_t maximumPacketBytes() const override { return packetBytes_; }

  private:
    std::size_t packetBytes_;
};

// Throws std::invalid_argument as the decoder does.
inline Framed<FixedLengthDecoder> fixed(std::size_t packetBytes) {
    return Framed(FixedLengthDecoder(packetBytes));
}

}  // namespace nio
