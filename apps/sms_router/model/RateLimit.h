// So many messages per second, and no more: for one account across all dispatchers.
//
// The generic cell rate algorithm: all it knows is the time at which what was allowed so far would
// be paid off. In any time t at most rate x t + burst messages are allowed; what was refused costs
// nothing.
//
// More messages at once than the burst (a submit_multi) are allowed when nothing is owed, and paid
// off afterwards.
//
// Limits: one message a day or more; 65,535 at once count as that many.
//
// Thread: any; lock-free.
// Source: ITU-T I.371, annex A (virtual scheduling).
#pragma once

#include <atomic>
#include <cstdint>

#include <nio/sys/Clock.h>

namespace router {

class RateLimit {
  public:
    // 0 messages per second: no limit. The burst is one second's worth, at least one message.
    explicit RateLimit(double messagesPerSecond = 0) { setRate(messagesPerSecond); }

    // From now on (a reload). What is owed stays owed, in messages, unless there is no limit.
    void setRate(double messagesPerSecond, nio::TimePoint now = {});
    bool allow(nio::TimePoint now, unsigned messages = 1);

  private:
    void scaleDebt(double by, std::int64_t now);

    std::atomic<std::int64_t> interval_{0};         // nanoseconds per message; 0: no limit
    std::atomic<std::int64_t> burst_{0};            // nanoseconds that may be owed
    std::atomic<std::int64_t> paidOff_{INT64_MIN};  // when, in nanoseconds of the clock
};

}  // namespace router
