#include <algorithm>
#include <array>
#include <limits>
#include <stdexcept>

#include <nio/codec/LengthFieldDecoder.h>

namespace nio {

namespace {

std::size_t supported(std::size_t fieldBytes) {
    const bool fits = (fieldBytes >= 1 && fieldBytes <= 4) || fieldBytes == 8;
    if (!fits)
        throw std::invalid_argument("LengthFieldDecoder: fieldBytes must be 1, 2, 3, 4 or 8");
    return fieldBytes;
}

// A shift by 64 bits is undefined: the largest length is all ones, shifted down.
std::uint64_t largestLength(std::size_t fieldBytes) {
    return std::numeric_limits<std::uint64_t>::max() >> (8 * (sizeof(std::uint64_t) - fieldBytes));
}

std::uint64_t bigEndian(ByteView field) {
    std::uint64_t value = 0;
    for (Byte byte : field) value = value << 8 | std::to_integer<std::uint64_t>(byte);
    return value;
}

void putBigEndian(std::uint64_t value, std::span<Byte> field) {
    for (std::size_t i = field.size(); i > 0; --i, value >>= 8) field[i - 1] = Byte(value & 0xff);
}

}  // namespace

LengthFieldDecoder::LengthFieldDecoder(LengthFieldOptions options)
    : fieldBytes_(supported(options.fieldBytes)),
      lengthIncludesField_(options.lengthIncludesField),
      maximumPacketBytes_(static_cast<std::size_t>(std::min<std::uint64_t>(
          options.maximumPacketBytes, largestLength(fieldBytes_) - countedFieldBytes()))) {}

Decoded LengthFieldDecoder::decode(ByteView unread) {
    if (unread.size() < fieldBytes_) return Decoded::incomplete();
    const std::uint64_t length = bigEndian(unread.first(fieldBytes_));
    if (length < countedFieldBytes()) return Decoded::broken(Errc::malformedPacket);
    const std::uint64_t packetBytes = length - countedFieldBytes();
    if (packetBytes > maximumPacketBytes_) return Decoded::broken(Errc::packetTooLong);

    const ByteView arrived = unread.subspan(fieldBytes_);
    if (arrived.size() < packetBytes) return Decoded::incomplete();
    const ByteView packet = arrived.first(static_cast<std::size_t>(packetBytes));
    return Decoded::complete(packet, fieldBytes_ + packet.size());
}

ByteView LengthFieldDecoder::putLength(std::size_t packetBytes, std::span<Byte> field) const {
    field = field.first(fieldBytes_);
    putBigEndian(packetBytes + countedFieldBytes(), field);
    return field;
}

}  // namespace nio
