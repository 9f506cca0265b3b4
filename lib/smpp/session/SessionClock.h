// When the timers of one session are due. It knows no protocol: the session starts and stops them.
//
// Thread: one at a time.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <optional>

#include <nio/base/Cpp20.h>

namespace smpp {

using Time = std::chrono::nanoseconds;

class SessionClock {
  public:
    // Of those that are due at once, the first one here comes first.
    enum class Timer : std::size_t {
        pduRead,
        sessionInit,
        handshake,  // the answer to our bind or unbind
        enquiry,    // the answer to our enquire_link
        inactivity,
        silence,  // until we send enquire_link
        count,
    };

    static constexpr Time never = Time::max();

    // Due `period` from now. Zero, or longer than time goes: it is off, and stops.
    void start(Timer timer, Time now, std::chrono::milliseconds period) {
        at(timer) = after(now, period);
    }
    void stop(Timer timer) { at(timer) = never; }
    void stopAll() { *this = {}; }
    bool runs(Timer timer) const { return dues_[static_cast<std::size_t>(timer)] != never; }

    Time next() const;
    std::optional<Timer> dueAt(Time now) const;

    static Time after(Time now, std::chrono::milliseconds period) {
        const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(never - now);
        return period.count() == 0 || period > left ? never : now + period;
    }

  private:
    static constexpr std::size_t timers = static_cast<std::size_t>(Timer::count);

    Time& at(Timer timer) { return dues_[static_cast<std::size_t>(timer)]; }

    std::array<Time, timers> dues_{never, never, never, never, never, never};
};

}  // namespace smpp
