// One exchange and what it has asked, for tests that play the server.
//
// Time: message number n is sent n microseconds after `start`, and planned when it is sent; answers
// come at `now`, a second later, unless told otherwise.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "echo_client/payload/Payload.h"

namespace load {

class Conversation {
  public:
    static constexpr nio::TimePoint start{std::chrono::hours(1)};
    static constexpr nio::TimePoint now = start + std::chrono::seconds(1);
    static constexpr std::size_t connection = 3;

    Conversation(apps::Framing framing, const std::string& sizeText, std::uint64_t seed = 1,
                 std::uint64_t incarnation = 0,
                 nio::Clock::duration answerTimeout = std::chrono::hours(1))
        : sizes(SizeDistribution::parse(sizeText).orThrow()),
          payload(framing, sizes, seed),
          tally(false, answerTimeout) {
        tally.measure(nio::TimePoint::min(), nio::TimePoint::max());
        exchange = payload.newExchange(connection, incarnation, tally);
    }

    static nio::TimePoint sentAt(std::size_t message) {
        return start + std::chrono::microseconds(message);
    }
    const nio::Bytes& ask() {
        const nio::TimePoint at = sentAt(messages.size());
        messages.push_back(nio::copyOf(exchange->ask(at, at)));
        return messages.back();
    }
    void ask(std::size_t count) {
        while (count-- > 0) ask();
    }
    bool answer(nio::ByteView bytes, nio::TimePoint at = now) {
        return exchange->answer(bytes, at);
    }
    bool answerPacket(nio::ByteView packet, nio::TimePoint at = now) {
        return exchange->answerPacket(packet, at);
    }

    std::uint64_t answered() { return tally.figures().answered; }
    LoadErrors& errors() { return tally.errors(); }
    // "lost 1, answered 9": the kinds that are not 0, and how many have a latency.
    std::string counts() {
        std::string text;
        const auto add = [&text](const char* kind, std::size_t count) {
            if (count != 0) text += kind + (" " + std::to_string(count)) + ", ";
        };
        add("lost", errors().lost);
        add("duplicated", errors().duplicated);
        add("reordered", errors().reordered);
        add("corrupted", errors().corrupted);
        add("timed out", errors().timedOut);
        return text + "answered " + std::to_string(tally.figures().latency.count());
    }

    const SizeDistribution sizes;
    Payload payload;
    Tally tally;
    std::unique_ptr<Exchange> exchange;
    std::vector<nio::Bytes> messages;
};

inline nio::Bytes joined(const std::vector<nio::Bytes>& messages) {
    nio::Bytes all;
    for (const nio::Bytes& each : messages) all.insert(all.end(), each.begin(), each.end());
    return all;
}

}  // namespace load
