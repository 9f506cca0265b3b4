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
};

using TimePoint = Clock::time_point;

}  // namespace nio
