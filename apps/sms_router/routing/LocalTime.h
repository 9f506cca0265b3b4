// The time of day where the router stands (TZ), by the minute.
//
// Thread: one at a time.
#pragma once

#include <chrono>
#include <cstdint>
#include <limits>

#include "sms_router/config/RouterConfig.h"

namespace router {

struct LocalMinute {
    unsigned weekday = 0;  // 0: Monday
    int minute = 0;        // since midnight
};

// Remembers the last minute asked for.
class LocalClock {
  public:
    LocalMinute at(std::chrono::system_clock::time_point time);

  private:
    std::int64_t known_ = std::numeric_limits<std::int64_t>::min();  // minutes since 1970
    LocalMinute local_;
};

// From `from` until before `to`. What goes over midnight belongs to the day on which it began.
bool contains(const TimeOfDay& times, const LocalMinute& now);

}  // namespace router
