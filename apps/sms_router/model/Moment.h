// The time at which a dispatcher handles a PDU. The clock is read once for each PDU, not once by
// everything that a PDU passes: a message and its receipt pass 16 such places, which took 7 % of
// their CPU time.
//
// Thread: any; each has its own. Lifetime: on the stack, in the reverse order of creation.
#pragma once

#include <optional>
#include <utility>

#include <nio/sys/Clock.h>

namespace router {

class Moment {
  public:
    // Until its end, now() of this thread is the time of its creation.
    Moment() : before_(std::exchange(current(), nio::Clock::now())) {}
    ~Moment() { current() = before_; }
    Moment(const Moment&) = delete;
    Moment& operator=(const Moment&) = delete;

    // The clock's, where there is no moment.
    static nio::TimePoint now() { return current() ? *current() : nio::Clock::now(); }

  private:
    static std::optional<nio::TimePoint>& current() {
        static thread_local constinit std::optional<nio::TimePoint> time;
        return time;
    }

    const std::optional<nio::TimePoint> before_;
};

}  // namespace router
