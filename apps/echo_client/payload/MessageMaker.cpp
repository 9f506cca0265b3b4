#include "echo_client/payload/MessageMaker.h"

#include <algorithm>
#include <cstring>

namespace load {

void MessageMaker::make(std::uint64_t sequence, std::span<nio::Byte> message) const {
    const std::span<nio::Byte> body = message.subspan(stampBytes());
    const nio::ByteView from = pattern_.view(placeOf(sequence), body.size());
    std::copy(from.begin(), from.end(), body.begin());
    writeStamp(form_, connection_, static_cast<std::uint32_t>(sequence), message);
}

bool MessageMaker::bodyFits(std::uint64_t sequence, nio::ByteView message) const {
    constexpr std::size_t enough = 8;
    const nio::ByteView body = message.subspan(stampBytes());
    const nio::ByteView expected = pattern_.view(placeOf(sequence), std::min(body.size(), enough));
    if (body.size() >= enough) return std::memcmp(body.data(), expected.data(), enough) == 0;
    return std::equal(expected.begin(), expected.end(), body.begin());
}

// Multiplied, not divided: this is on the way of every message.
std::size_t MessageMaker::placeOf(std::uint64_t sequence) const {
    const std::uint64_t spread = start_ + sequence * 0x9e3779b97f4a7c15ULL;
    return (spread >> 32) * pattern_.period() >> 32;
}

}  // namespace load
