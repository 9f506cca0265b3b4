#include <cassert>

#include <nio/base/Bytes.h>
#include <nio/codec/StxEtxDecoder.h>

namespace nio {

Decoded StxEtxDecoder::decode(ByteView unread) {
    if (unread.empty()) return Decoded::incomplete();
    if (unread.front() != stx) return Decoded::broken(Errc::malformedPacket);

    const ByteView payload = decisive(unread.subspan(1));
    assert(scanned_ <= payload.size());
    const ByteView fresh = payload.subspan(scanned_);
    const std::size_t end = findByte(fresh, etx);
    if (contains(fresh.first(end), stx)) return Decoded::broken(Errc::malformedPacket);
    if (end < fresh.size()) {
        const ByteView packet = payload.first(scanned_ + end);
        scanned_ = 0;
        return Decoded::complete(packet, packet.size() + 2);
    }
    if (payload.size() > maximumPacketBytes_) return Decoded::broken(Errc::packetTooLong);
    scanned_ = payload.size();
    return Decoded::incomplete();
}

// Without this, what is wrong with an overlong packet would depend on how the stream was cut.
ByteView StxEtxDecoder::decisive(ByteView payload) const {
    return payload.size() > maximumPacketBytes_ ? payload.first(maximumPacketBytes_ + 1) : payload;
}

Result<void> StxEtxDecoder::mayEncode(ByteView packet) const {
    if (packet.size() > maximumPacketBytes_) return Errc::packetTooLong;
    if (contains(packet, stx) || contains(packet, etx)) return Errc::notEncodable;
    return {};
}

}  // namespace nio
