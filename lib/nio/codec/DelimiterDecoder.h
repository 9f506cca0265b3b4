// Packets that end with a delimiter: one or more bytes that no packet contains.
//
// The packet is what precedes the delimiter; it may be empty. The first delimiter in the stream
// ends the packet. What follows the last one is no packet.
//
// decode() answers packetTooLong as soon as the packet must be longer than the maximum.
// encode() refuses a packet over the maximum (packetTooLong), and one that would not come back
// whole: with the delimiter in it, or with an end that begins one (notEncodable).
//
// A packet that arrives byte by byte costs as much as one that arrives whole. A byte once shown
// must not change.
//
// Thread: that of its owner. Lifetimes: as ProtocolDecoder.h says.
// Errors: the constructor throws std::invalid_argument for an empty delimiter.
#pragma once

#include <string>

#include <nio/codec/Framed.h>

namespace nio {

class DelimiterDecoder final : public ProtocolDecoder {
  public:
    static constexpr std::size_t defaultMaximumPacketBytes = 64 * 1024;

    explicit DelimiterDecoder(std::string delimiter,
                              std::size_t maximumPacketBytes = defaultMaximumPacketBytes);

    Decoded decode(ByteView unread) override;
    Result<void> encode(ByteView packet, ByteSink& sink) const override {
        return frame(packet, sink);
    }
    template <class Sink>
    Result<void> frame(ByteView packet, Sink& sink) const {
        Result<void> encodable = mayEncode(packet);
        if (!encodable) return encodable;
        sink.append(packet);
        sink.append(asBytes(delimiter_));
        return {};
    }
    std::size_t maximumPacketBytes() const override { return maximumPacketBytes_; }

  private:
    Result<void> mayEncode(ByteView packet) const;

    std::string delimiter_;
    std::size_t maximumPacketBytes_;
    std::size_t scanned_ = 0;  // no delimiter begins in these bytes of the incomplete packet
};

// Throws std::invalid_argument as the decoder does.
inline Framed<DelimiterDecoder> delimited(
    std::string delimiter,
    std::size_t maximumPacketBytes = DelimiterDecoder::defaultMaximumPacketBytes) {
    return Framed(DelimiterDecoder(std::move(delimiter), maximumPacketBytes));
}

}  // namespace nio
