#include <algorithm>
#include <stdexcept>

#include <nio/codec/DelimiterDecoder.h>

namespace nio {

DelimiterDecoder::DelimiterDecoder(std::string delimiter, std::size_t maximumPacketBytes)
    : delimiter_(std::move(delimiter)), maximumPacketBytes_(maximumPacketBytes) {
    if (delimiter_.empty()) {
        throw std::invalid_argument("DelimiterDecoder: the delimiter must not be empty");
    }
}

Decoded DelimiterDecoder::decode(ByteView unread) {
    const std::string_view text = asText(unread);
    const std::size_t end = text.find(delimiter_, scanned_);
    if (end != std::string_view::npos) {
        scanned_ = 0;
        if (end > maximumPacketBytes_) return Decoded::broken(Errc::packetTooLong);
        return Decoded::complete(unread.first(end), end + delimiter_.size());
    }
    // A delimiter may begin in the last bytes.
    scanned_ = text.size() - std::min(text.size(), delimiter_.size() - 1);
    if (scanned_ > maximumPacketBytes_) return Decoded::broken(Errc::packetTooLong);
    return Decoded::incomplete();
}

Result<void> DelimiterDecoder::mayEncode(ByteView packet) const {
    if (packet.size() > maximumPacketBytes_) return Errc::packetTooLong;
    // The bytes before the last one of the delimiter decide where the peer sees its first one.
    std::string end(asText(packet.last(std::min(packet.size(), delimiter_.size() - 1))));
    end.append(delimiter_, 0, delimiter_.size() - 1);
    const bool comesBack = asText(packet).find(delimiter_) == std::string_view::npos &&
                           end.find(delimiter_) == std::string::npos;
    return comesBack ? Result<void>() : Errc::notEncodable;
}

}  // namespace nio
