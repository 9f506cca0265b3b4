#include <limits>

#include <nio/codec/RawDecoder.h>

namespace nio {

Decoded RawDecoder::decode(ByteView unread) {
    if (unread.empty()) return Decoded::incomplete();
    return Decoded::complete(unread, unread.size());
}

Result<void> RawDecoder::encode(ByteView packet, ByteSink& sink) const {
    if (packet.empty()) return Errc::notEncodable;
    sink.append(packet);
    return {};
}

std::size_t RawDecoder::maximumPacketBytes() const {
    return std::numeric_limits<std::size_t>::max();
}

}  // namespace nio
