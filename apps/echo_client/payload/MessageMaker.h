// Makes the stamped messages of one connection: a stamp, and a body of bytes of the Pattern from a
// place of the message's own. The same message can be made again, to see what should have come.
//
// Thread: one at a time. Lifetime: the pattern lives longer.
#pragma once

#include <algorithm>
#include <cstring>

#include "echo_client/payload/Pattern.h"
#include "echo_client/payload/Stamp.h"

namespace load {

class MessageMaker {
  public:
    // `start`: any number; with another one all bodies are others.
    MessageMaker(StampForm form, const Pattern& pattern, std::uint32_t connection,
                 std::uint64_t start)
        : form_(form), pattern_(pattern), connection_(connection), start_(start) {}

    StampForm form() const { return form_; }
    std::uint32_t connection() const { return connection_; }
    std::size_t stampBytes() const { return load::stampBytes(form_); }

    // Over all of `message`, which has room for a stamp and is no longer than the pattern shows.
    void make(std::uint64_t sequence, std::span<nio::Byte> message) const;
    // Does the body begin as this message's does? So much a message of an earlier connection with
    // the same number, whole and right in itself, cannot give.
    bool bodyFits(std::uint64_t sequence, nio::ByteView message) const;

  private:
    std::size_t placeOf(std::uint64_t sequence) const;

    const StampForm form_;
    const Pattern& pattern_;
    const std::uint32_t connection_;
    const std::uint64_t start_;
};

inline void MessageMaker::make(std::uint64_t sequence, std::span<nio::Byte> message) const {
    const std::span<nio::Byte> body = message.subspan(stampBytes());
    const nio::ByteView from = pattern_.view(placeOf(sequence), body.size());
    std::copy(from.begin(), from.end(), body.begin());
    writeStamp(form_, connection_, static_cast<std::uint32_t>(sequence), message);
}

inline bool MessageMaker::bodyFits(std::uint64_t sequence, nio::ByteView message) const {
    constexpr std::size_t enough = 8;
    const nio::ByteView body = message.subspan(stampBytes());
    const nio::ByteView expected = pattern_.view(placeOf(sequence), std::min(body.size(), enough));
    if (body.size() >= enough) return std::memcmp(body.data(), expected.data(), enough) == 0;
    return std::equal(expected.begin(), expected.end(), body.begin());
}

// Multiplied, not divided: this is on the way of every message.
inline std::size_t MessageMaker::placeOf(std::uint64_t sequence) const {
    const std::uint64_t spread = start_ + sequence * 0x9e3779b97f4a7c15ULL;
    return (spread >> 32) * pattern_.period() >> 32;
}

}  // namespace load
