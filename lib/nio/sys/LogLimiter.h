// Rate limit of a log line: admits one per period and counts the suppressed ones.
//
//     if (const auto more = limit.admit(Clock::now())) log(LogLevel::warning, text + *more);
//
// Thread: that of its owner.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>

#include <nio/sys/Clock.h>

namespace nio {

class LogLimiter {
  public:
    explicit LogLimiter(Clock::duration period = std::chrono::seconds(1)) : period_(period) {}

    // Absent: suppress the line. Otherwise log it with this behind it: nothing, or
    // " (3 more like this)" if so many were suppressed since the last one.
    std::optional<std::string> admit(TimePoint now) {
        if (last_ && now - *last_ < period_) {
            ++heldBack_;
            return std::nullopt;
        }
        last_ = now;
        const std::size_t others = std::exchange(heldBack_, 0);
        if (others == 0) return std::string();
        return " (" + std::to_string(others) + " more like this)";
    }

  private:
    Clock::duration period_;
    std::optional<TimePoint> last_;
    std::size_t heldBack_ = 0;
};

}  // namespace nio
