#include <cassert>

#include <nio/base/Bytes.h>
#include <nio/codec/LineDecoder.h>

namespace nio {

namespace {

constexpr Byte carriageReturn{'\r'};

bool endsInReturn(ByteView line) {
    return !line.empty() && line.back() == carriageReturn;
}

ByteView withoutReturn(ByteView line) {
    return endsInReturn(line) ? line.first(line.size() - 1) : line;
}

}  // namespace

Decoded LineDecoder::decode(ByteView unread) {
    assert(scanned_ <= unread.size());
    const std::size_t end = scanned_ + findByte(unread.subspan(scanned_), newline);
    if (end == unread.size()) return unfinished(unread);

    scanned_ = 0;
    const ByteView line = withoutReturn(unread.first(end));
    if (line.size() > maximumPacketBytes_) return Decoded::broken(Errc::packetTooLong);
    return Decoded::complete(line, end + 1);
}

// A trailing '\r' may be the first half of the line end: do not count it yet.
Decoded LineDecoder::unfinished(ByteView unread) {
    if (withoutReturn(unread).size() > maximumPacketBytes_) {
        return Decoded::broken(Errc::packetTooLong);
    }
    scanned_ = unread.size();
    return Decoded::incomplete();
}

Result<void> LineDecoder::mayEncode(ByteView packet) const {
    if (packet.size() > maximumPacketBytes_) return Errc::packetTooLong;
    if (contains(packet, newline) || endsInReturn(packet)) return Errc::notEncodable;
    return {};
}

}  // namespace nio
