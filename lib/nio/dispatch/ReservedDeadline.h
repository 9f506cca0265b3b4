// A Deadline for who must try again later because there is no memory: setting it needs none.
//
// Thread, lifetime: as Deadline, but it is constructed and destroyed on its dispatcher, too.
// Errors: the constructor throws std::bad_alloc.
#pragma once

#include <utility>

#include <nio/dispatch/Deadline.h>

namespace nio {

class ReservedDeadline {
  public:
    ReservedDeadline(DeadlineQueue& queue, UniqueFunction<void()> expired)
        : queue_(queue), deadline_(queue, std::move(expired)) {
        queue_.reserve();
    }
    ReservedDeadline(const ReservedDeadline&) = delete;
    ReservedDeadline& operator=(const ReservedDeadline&) = delete;
    ~ReservedDeadline() { --queue_.reserved_; }

    // Replaces an earlier setting.
    template <class Rep, class Period>
    void wakeAfter(std::chrono::duration<Rep, Period> time) NIO_REQUIRES(onDispatcher) {
        deadline_.cancel();
        queue_.insert(Clock::after(time), deadline_);
    }
    void cancel() NIO_REQUIRES(onDispatcher) { deadline_.cancel(); }
    bool isSet() const { return deadline_.isSet(); }

  private:
    DeadlineQueue& queue_;
    Deadline deadline_;
};

}  // namespace nio
