// Monotonic time, as the Kernel tells it: it never goes back and knows no calendar.
//
// Thread: any.
#pragma once

#include <chrono>
#include <ratio>
#include <type_traits>

#include <nio/base/Cpp20.h>

namespace nio {

struct Clock {
    using duration = std::chrono::nanoseconds;
    using rep = duration::rep;
    using period = duration::period;
    using time_point = std::chrono::time_point<Clock>;
    static constexpr bool is_steady = true;

    static time_point now() noexcept;
    // `time` from now. Saturates: see bounded().
    template <class Rep, class Period>
    static time_point after(std::chrono::duration<Rep, Period> time) noexcept {
        return now() + bounded(time);
    }
    // The time left until then; zero when it has passed.
    static duration until(time_point when) noexcept {
        const time_point time = now();
        return when <= time ? duration::zero() : when - time;
    }
    // At most a hundred years, forwards or backwards: what a duration of any unit may be, min() and
    // max() too, and can be added to any time. Not a number: for ever.
    template <class Rep, class Period>
    static constexpr duration bounded(std::chrono::duration<Rep, Period> time) noexcept {
        constexpr std::chrono::hours forEver(24 * 365 * 100);
        constexpr bool fitsExactly = !std::is_floating_point_v<Rep> &&
                                     std::ratio_less_equal_v<period, Period> &&
                                     std::ratio_less_equal_v<Period, std::chrono::hours::period>;
        if constexpr (fitsExactly) {
            if (!(time < forEver)) return forEver;
            if constexpr (std::is_signed_v<Rep>) {
                if (time < -forEver) return -forEver;
            }
        } else {
            const auto seconds = std::chrono::duration<double>(time);
            if (!(seconds < forEver)) return forEver;
            if (seconds < -forEver) return -forEver;
        }
        return std::chrono::duration_cast<duration>(time);
    }
};

using TimePoint = Clock::time_point;

}  // namespace nio
