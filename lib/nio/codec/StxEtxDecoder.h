// Packets between two control bytes, the framing of the article's simple protocol:
//
//     STX (0x02)  payload: any bytes but STX and ETX  ETX (0x03)
//
// The packet handed out, and the one given to encode(), is the payload alone; it may be empty.
// Nothing stands between an ETX and the next STX. There is no escaping: a payload that holds
// either control byte cannot be framed (use LengthFieldDecoder for binary data).
//
// decode() answers
//  - malformedPacket where a packet should begin and the byte is not STX, and for an STX inside a
//    packet;
//  - packetTooLong as soon as one payload byte over the maximum has arrived, without waiting for
//    the ETX.
// encode() refuses a payload over the maximum (packetTooLong), and one with STX or ETX in it
// (notEncodable).
//
// Payload bytes that an earlier call has seen are not looked at again: a packet that arrives byte
// by byte costs as much as one that arrives whole. A byte once shown must not change.
//
// Thread: that of its owner. Lifetimes: as ProtocolDecoder.h says.
// Source: ONJava article 2004, SimpleProtocolDecoder.
#pragma once

#include <nio/codec/Framed.h>

namespace nio {

class StxEtxDecoder final : public ProtocolDecoder {
  public:
    static constexpr Byte stx{0x02};
    static constexpr Byte etx{0x03};
    static constexpr std::size_t defaultMaximumPacketBytes = 64 * 1024;

    explicit StxEtxDecoder(std::size_t maximumPacketBytes = defaultMaximumPacketBytes)
        : maximumPacketBytes_(maximumPacketBytes) {}

    Decoded decode(ByteView unread) override;
    Result<void> encode(ByteView packet, ByteSink& sink) const override {
        return frame(packet, sink);
    }
    template <class Sink>
    Result<void> frame(ByteView packet, Sink& sink) const {
        Result<void> encodable = mayEncode(packet);
        if (!encodable) return encodable;
        sink.append({&stx, 1});
        sink.append(packet);
        sink.append({&etx, 1});
        return {};
    }
    std::size_t maximumPacketBytes() const override { return maximumPacketBytes_; }

  private:
    Result<void> mayEncode(ByteView packet) const;
    // The payload bytes that decide: all, but never more than one over the maximum.
    ByteView decisive(ByteView payload) const;

    std::size_t maximumPacketBytes_;
    std::size_t scanned_ = 0;  // payload bytes of the incomplete packet without a delimiter
};

inline Framed<StxEtxDecoder> stxEtx(
    std::size_t maximumPacketBytes = StxEtxDecoder::defaultMaximumPacketBytes) {
    return Framed(StxEtxDecoder(maximumPacketBytes));
}

}  // namespace nio
