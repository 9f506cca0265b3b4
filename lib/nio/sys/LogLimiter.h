// Rate limit of a log line: admits one per period and counts the suppressed ones.
//
// Thread: that of its owner.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <utility>

#include <nio/sys/Clock.h>

namespace nio {

class LogLimiter {
  public:
    explicit LogLimiter(Clock::duration period = std::chrono::seconds(1)) : period_(period) {}

    // Absent: suppress the line. Otherwise: log it; the value is the number of lines suppressed
    // since the last one.
    std::optional<std::size_t> admit(TimePoint now) {
        if (last_ && now - *last_ < period_) {
            ++heldBack_;
            return std::nullopt;
        }
        last_ = now;
        return std::exchange(heldBack_, 0);
    }

  private:
    Clock::duration period_;
    std::optional<TimePoint> last_;
    std::size_t heldBack_ = 0;
};

}  // namespace nio
