// When the timers of one session are due. It knows no protocol: the session starts and stops them.
//
// Thread: one at a time.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <optional>

#include <nio/base/Cpp20.h>

namespace smpp {

using Time = std::chrono::nanoseconds;

// Zero: that timer is off.
struct SessionTimers {
    std::chrono::milliseconds sessionInit{10'000};  // from the connect to the bind request
    std::chrono::milliseconds enquireLink{60'000};  // of silence, until we send enquire_link
    std::chrono::milliseconds inactivity{0};        // without a message, until we unbind
    std::chrono::milliseconds response{10'000};     // of the peer, to a request of ours
    std::chrono::milliseconds pduRead{10'000};      // from the first octet of a PDU to its last
};

class SessionClock {
  public:
    // Of timers due at the same time, the first one here comes first.
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

    // `periods` must outlive the clock.
    explicit SessionClock(const SessionTimers& periods) : periods_(periods) {}

    // Due one period from `now`. A period of zero, or beyond the range of Time, stops the timer.
    void start(Timer timer, Time now) { at(timer) = after(now, periodOf(timer)); }
    void stop(Timer timer) { at(timer) = never; }
    void stopAll() { dues_.fill(never); }
    bool runs(Timer timer) const { return dues_[static_cast<std::size_t>(timer)] != never; }

    Time next() const { return *std::min_element(dues_.begin(), dues_.end()); }
    std::optional<Timer> dueAt(Time now) const {
        for (std::size_t i = 0; i < timers; ++i) {
            if (dues_[i] <= now) return static_cast<Timer>(i);
        }
        return std::nullopt;
    }

    // The deadline of the answer to a request sent now; never: none.
    Time answerDue(Time now) const { return after(now, periods_.response); }
    // Whether answers have a deadline; without one a wait for them may never end.
    bool answersAreTimed() const { return periods_.response.count() > 0; }

  private:
    static constexpr std::size_t timers = static_cast<std::size_t>(Timer::count);

    static Time after(Time now, std::chrono::milliseconds period) {
        const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(never - now);
        return period.count() == 0 || period > left ? never : now + period;
    }
    std::chrono::milliseconds periodOf(Timer timer) const {
        switch (timer) {
            case Timer::pduRead: return periods_.pduRead;
            case Timer::sessionInit: return periods_.sessionInit;
            case Timer::inactivity: return periods_.inactivity;
            case Timer::silence: return periods_.enquireLink;
            default: return periods_.response;
        }
    }
    Time& at(Timer timer) { return dues_[static_cast<std::size_t>(timer)]; }

    const SessionTimers& periods_;
    std::array<Time, timers> dues_{never, never, never, never, never, never};
};

}  // namespace smpp
