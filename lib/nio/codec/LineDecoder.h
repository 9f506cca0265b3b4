// Lines: '\n' ends a packet.
//
// One '\r' right before the '\n' belongs to the line end and is dropped; every other '\r' is part
// of the line. The packet is the line without its end; it may be empty. Its bytes may be anything
// but '\n', in any encoding. What follows the last '\n' is no packet.
//
// decode() answers packetTooLong as soon as the line, counted without its end, must be longer than
// the maximum. No bytes are malformed.
// encode() appends the line and '\n'. It refuses a line over the maximum (packetTooLong), and one
// with '\n' in it or '\r' at its end, neither of which would come back (notEncodable).
//
// Bytes that an earlier call has seen are not looked at again, but for the last one, which may be
// the '\r': a line that arrives byte by byte costs as much as one that arrives whole. A byte once
// shown must not change.
//
// Thread: that of its owner. Lifetimes: as ProtocolDecoder.h says.
#pragma once

#include <nio/codec/Framed.h>

namespace nio {

class LineDecoder final : public ProtocolDecoder {
  public:
    static constexpr std::size_t defaultMaximumPacketBytes = 64 * 1024;

    explicit LineDecoder(std::size_t maximumPacketBytes = defaultMaximumPacketBytes)
        : maximumPacketBytes_(maximumPacketBytes) {}

    Decoded decode(ByteView unread) override;
    Result<void> encode(ByteView packet, ByteSink& sink) const override {
        return frame(packet, sink);
    }
    template <class Sink>
    Result<void> frame(ByteView packet, Sink& sink) const {
        Result<void> encodable = mayEncode(packet);
        if (!encodable) return encodable;
        sink.append(packet);
        sink.append({&newline, 1});
        return {};
    }
    std::size_t maximumPacketBytes() const override { return maximumPacketBytes_; }

  private:
    static constexpr Byte newline{'\n'};

    Result<void> mayEncode(ByteView packet) const;
    Decoded unfinished(ByteView unread);

    std::size_t maximumPacketBytes_;
    std::size_t scanned_ = 0;  // bytes of the incomplete line without a '\n'
};

inline Framed<LineDecoder> lines(
    std::size_t maximumPacketBytes = LineDecoder::defaultMaximumPacketBytes) {
    return Framed(LineDecoder(maximumPacketBytes));
}

}  // namespace nio
