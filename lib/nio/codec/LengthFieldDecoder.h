// Packets with a length prefix: a big-endian, unsigned length field, then that many bytes.
//
//     length (1, 2, 3, 4 or 8 bytes)  packet: any bytes
//
// The packet is what follows the field; it may be empty. The length counts the packet alone, or,
// with lengthIncludesField (as SMPP's command_length does), the field as well.
//
// decode() answers, as soon as the field has arrived and before any byte of the packet is kept,
//  - malformedPacket for a length that includes the field and is smaller than it;
//  - packetTooLong for a packet over the maximum, however large the number is.
// encode() refuses a packet over the maximum (packetTooLong). Any bytes can be framed.
//
// The maximum is the smaller of the option and what the field can express: maximumPacketBytes()
// tells. The decoder scans nothing and remembers nothing; each call looks at the field alone.
//
// Thread: that of its owner. Lifetimes: as ProtocolDecoder.h says.
// Errors: the constructor throws std::invalid_argument for any other size of the field.
#pragma once

#include <array>
#include <cstdint>

#include <nio/codec/Framed.h>

namespace nio {

struct LengthFieldOptions {
    std::size_t fieldBytes = 4;                    // 1, 2, 3, 4 or 8
    bool lengthIncludesField = false;              // SMPP: true
    std::size_t maximumPacketBytes = 1024 * 1024;  // without the field
};

class LengthFieldDecoder final : public ProtocolDecoder {
  public:
    explicit LengthFieldDecoder(LengthFieldOptions options = {});

    Decoded decode(ByteView unread) override;
    Result<void> encode(ByteView packet, ByteSink& sink) const override {
        return frame(packet, sink);
    }
    template <class Sink>
    Result<void> frame(ByteView packet, Sink& sink) const {
        if (packet.size() > maximumPacketBytes_) return Errc::packetTooLong;
        std::array<Byte, longestFieldBytes> field;
        sink.append(putLength(packet.size(), field));
        sink.append(packet);
        return {};
    }
    std::size_t maximumPacketBytes() const override { return maximumPacketBytes_; }

  private:
    static constexpr std::size_t longestFieldBytes = 8;

    ByteView putLength(std::size_t packetBytes, std::span<Byte> field) const;
    // The part of the length that counts the field itself.
    std::uint64_t countedFieldBytes() const { return lengthIncludesField_ ? fieldBytes_ : 0; }

    std::size_t fieldBytes_;
    bool lengthIncludesField_;
    std::size_t maximumPacketBytes_;
};

// Throws std::invalid_argument as the decoder does.
inline Framed<LengthFieldDecoder> lengthPrefixed(LengthFieldOptions options = {}) {
    return Framed(LengthFieldDecoder(options));
}

}  // namespace nio
