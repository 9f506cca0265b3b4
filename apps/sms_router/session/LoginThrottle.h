// Slows down password guessing: once a source has failed to log in a few times, its attempts take
// turns, one login delay apart, also those that are outstanding at the same time, until it has not
// guessed for some time. Right and wrong attempts wait alike, so giving up early tells nothing;
// right ones neither prolong nor shorten that time. Other sources are not slowed down. A source is
// what apps::sourceOf() says.
//
// It also says which refusals get a line in the log: the first ones of each source, then one in ten
// seconds; of all sources ten in a second.
//
// Thread: any; a lock is held for a look-up.
// Limits: `sources`; the one that was refused least recently is forgotten first. An attempt whose
// turn would come later than `longestWait` is refused at once, so that those that wait are few.
#pragma once

#include <algorithm>
#include <chrono>
#include <list>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>

#include <nio/sys/LogLimiter.h>
#include <nio/sys/SocketAddress.h>

namespace router {

class LoginThrottle {
  public:
    struct Limits {
        std::size_t freeFailures = 5;  // so many have a line each, too
        std::size_t sources = 10'000;
        // After the last guess, and the longest wait; for lines after the last refusal.
        std::chrono::milliseconds forgetAfter{60'000};
        std::chrono::milliseconds linePeriod{10'000};
        std::chrono::milliseconds longestWait{10'000};  // or the delay, if that is longer
    };

    explicit LoginThrottle(std::chrono::milliseconds delay) : LoginThrottle(delay, Limits()) {}
    LoginThrottle(std::chrono::milliseconds delay, Limits limits)
        : limits_(limits), delay_(delay) {}

    // 0: no attempt is delayed. Another delay counts from now on.
    void setDelay(std::chrono::milliseconds delay);
    // Reserves a turn for an attempt of this peer and returns how long the attempt waits. Absent:
    // the attempt has no turn and is refused without a check of its password.
    std::optional<std::chrono::milliseconds> takeTurn(const nio::SocketAddress& peer,
                                                      nio::TimePoint now);

    // An attempt from there was refused; a guess slows down the next ones. Absent: it gets no line;
    // otherwise the number of refusals without one since the last line.
    enum class Why { guess, other };
    std::optional<std::size_t> refused(const nio::SocketAddress& peer, nio::TimePoint now, Why why);

  private:
    struct Source {
        std::string name;
        std::size_t failures = 0;
        std::size_t refusals = 0;
        nio::TimePoint lastGuess{};
        nio::TimePoint lastRefusal{};
        nio::TimePoint turn{};  // of its latest attempt
        nio::LogLimiter lines;
    };
    using Sources = std::list<Source>;

    std::chrono::milliseconds longestWait() const { return std::max(limits_.longestWait, delay_); }
    bool isForgotten(const Source& source, nio::TimePoint now) const;
    Source& touch(const std::string& name, nio::TimePoint now);
    bool hasLineNow(nio::TimePoint now);

    const Limits limits_;
    std::mutex mutex_;
    // All of these under mutex_.
    std::chrono::milliseconds delay_;
    Sources sources_;  // that was refused most recently: first
    std::unordered_map<std::string, Sources::iterator> byName_;
    nio::TimePoint second_{};
    std::size_t saidInSecond_ = 0;
    std::size_t unsaid_ = 0;
};

// ", 12 more since the last line", or nothing.
std::string unsaidText(std::size_t refusals);

}  // namespace router
