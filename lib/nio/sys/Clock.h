// Monotonic time, as the Kernel tells it: it never goes back and knows no calendar.
//
// Thread: any.
#pragma once

#include <chrono>

namespace nio {

struct Clock {
    using duration = std::chrono::nanoseconds;
    using rep = duration::rep;
    using period = duration::period;
    using time_point = std::chrono::time_point<Clock>;
    static constexpr bool is_steady = true;

    static time_point now() noexcept;
    // So long from now; "for ever" (whatever duration::max() of any unit) is a hundred years.
    template <class Rep, class Period>
    static time_point after(std::chrono::duration<Rep, Period> time) noexcept {
        return now() + bounded(time);
    }
    template <class Rep, class Period>
    static constexpr duration bounded(std::chrono::duration<Rep, Period> time) noexcept {
        constexpr std::chrono::hours forEver(24 * 365 * 100);
        return time < forEver ? std::chrono::duration_cast<duration>(time) : duration(forEver);
    }
};

using TimePoint = Clock::time_point;

}  // namespace nio
