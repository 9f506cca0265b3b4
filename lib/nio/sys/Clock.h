// The kernel's monotonic clock.
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
    // Clamps a duration of any unit, including min() and max(), to 100 years in either direction,
    // so that it can be added to any time. NaN: the maximum.
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

namespace kernel {
TimePoint now() noexcept;  // Kernel.h; simulations have a clock of their own
}

inline TimePoint Clock::now() noexcept {
    return kernel::now();
}

}  // namespace nio
