// Our message ids: 16 hexadecimal digits, unique across all SMSCs and restarts. The first three are
// the number of the connector that the message went through, so that query_sm, cancel_sm and
// replace_sm find the SMSC without a search.
//
// A short id is for ESMEs whose version has room for eight characters (SMPP 3.3): eight digits and
// capital letters. It names no connector: connectors are numbered from 1, a short id has 0 there.
//
// Thread: any; values. MessageIdMaker: one at a time.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace router {

using MessageId = std::uint64_t;

constexpr unsigned sequenceBits = 52;
constexpr MessageId shortIds = 2'821'109'907'456;  // 36^8: the short ids are below

constexpr bool isShort(MessageId id) {
    return id < shortIds;
}

// No terminating NUL.
struct MessageIdText {
    char digits[16];
    std::uint8_t size;
    std::string_view view() const { return {digits, size}; }
};
MessageIdText textOf(MessageId id);
// Nothing: it is not one of ours. 0 is no id: where an id may be absent, it says so.
std::optional<MessageId> messageIdOf(std::string_view text);
constexpr std::uint32_t connectorNumberOf(MessageId id) {
    return static_cast<std::uint32_t>(id >> sequenceBits);
}

// The message of an application that a submit_sm or a receipt belongs to, where it was sent by
// HTTP.
struct Whole {
    MessageId id = 0;        // 0: that of its only part
    std::uint8_t parts = 0;  // of it; 0: it was not sent by HTTP
};

// Starts from the wall clock, a million for each second, also within a second: a later run never
// repeats an earlier one unless that has made more on average, or the clock was set back.
class MessageIdMaker {
  public:
    MessageIdMaker(std::uint32_t connectorNumber, std::uint64_t secondsSince1970,
                   std::uint32_t microseconds = 0)
        : next_((static_cast<std::uint64_t>(connectorNumber) << sequenceBits) |
                (((secondsSince1970 << 20) | microseconds) & ((1ull << sequenceBits) - 1))) {}
    MessageIdMaker(std::uint32_t connectorNumber, std::chrono::system_clock::time_point now)
        : MessageIdMaker(connectorNumber, microsecondsOf(now) / 1'000'000,
                         static_cast<std::uint32_t>(microsecondsOf(now) % 1'000'000)) {}

    MessageId make() { return ++next_; }
    // Ids up to this one are taken.
    void startAfter(MessageId taken) {
        if (taken > next_ && connectorNumberOf(taken) == connectorNumberOf(next_)) next_ = taken;
    }

  private:
    static std::uint64_t microsecondsOf(std::chrono::system_clock::time_point now) {
        using std::chrono::microseconds;
        const auto since1970 = std::chrono::duration_cast<microseconds>(now.time_since_epoch());
        return static_cast<std::uint64_t>(since1970.count());
    }

    MessageId next_;
};

}  // namespace router
