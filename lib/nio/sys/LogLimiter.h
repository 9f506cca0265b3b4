// Rate limit of a log line: admits one per period and counts the suppressed ones.
//
//     if (const auto more = limit.admit(Clock::now())) log(LogLevel::warning, text + *more);
//
// Thread: that of its owner. Errors: admit() throws std::bad_alloc, and has changed nothing then.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>

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
        std::string more;
        if (heldBack_ > 0) more = " (" + std::to_string(heldBack_) + " more like this)";
        last_ = now;
        heldBack_ = 0;
        return more;
    }

  private:
    Clock::duration period_;
    std::optional<TimePoint> last_;
    std::size_t heldBack_ = 0;
};

}  // namespace nio
