// No framing: the bytes that have arrived are one packet.
//
// The bytes of the stream arrive in order and complete, but packet boundaries are arbitrary: what
// the sender passed to encode() may arrive in several packets, or together with the next.
// No packet is empty.
//
// decode() hands out all it is shown, at once; it never answers an error, and so nothing is ever
// kept. encode() appends the packet as it is; it refuses an empty one, of which nothing would
// arrive (notEncodable).
//
// maximumPacketBytes() is SIZE_MAX: a received packet is as long as what was shown, which the
// caller's read bounds; a sent one has no limit.
//
// Thread: that of its owner. Lifetimes: as ProtocolDecoder.h says.
#pragma once

#include <limits>
#include <memory>

#include <nio/codec/ProtocolDecoder.h>

namespace nio {

class RawDecoder final : public ProtocolDecoder {
  public:
    Decoded decode(ByteView unread) override {
        if (unread.empty()) return Decoded::incomplete();
        return Decoded::complete(unread, unread.size());
    }
    Result<void> encode(ByteView packet, ByteSink& sink) const override {
        if (packet.empty()) return Errc::notEncodable;
        sink.append(packet);
        return {};
    }
    std::size_t maximumPacketBytes() const override {
        return std::numeric_limits<std::size_t>::max();
    }
};

// The stage: passes each piece of the stream on as a packet, at no cost.
struct Raw {
    using In = ByteStream;
    using Out = Packet;

    std::unique_ptr<ProtocolDecoder> operator()() const { return std::make_unique<RawDecoder>(); }
};

inline Raw raw() {
    return {};
}

}  // namespace nio
