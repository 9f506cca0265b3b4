// A Deadline that reserves its memory on construction, so that setting it cannot fail: for retries
// when memory has run out.
//
// Thread, lifetime: as Deadline, but construction and destruction are the dispatcher's own, too.
// Errors: the constructor throws std::bad_alloc.
#pragma once

#include <utility>

#include <nio/timers/Deadline.h>

namespace nio {

class ReservedDeadline {
  public:
    ReservedDeadline(DeadlineQueue& queue, UniqueFunction<void()> expired)
        : queue_(queue), deadline_(queue, [this, expired = std::move(expired)]() mutable {
              keepPlace();
              expired();
          }) {
        queue_.reserve();
        keepsPlace_ = true;
    }
    ReservedDeadline(const ReservedDeadline&) = delete;
    ReservedDeadline& operator=(const ReservedDeadline&) = delete;
    ~ReservedDeadline() { usePlace(); }

    // Replaces an earlier setting.
    template <class Rep, class Period>
    void wakeAfter(std::chrono::duration<Rep, Period> time) NIO_REQUIRES(onDispatcher) {
        deadline_.cancel();
        usePlace();
        queue_.insert(Clock::after(time), deadline_);
    }
    void cancel() NIO_REQUIRES(onDispatcher) {
        if (!deadline_.isSet()) return;
        deadline_.cancel();
        keepPlace();
    }
    bool isSet() const { return deadline_.isSet(); }

  private:
    // A deadline that is set occupies the reserved entry.
    void keepPlace() {
        if (!std::exchange(keepsPlace_, true)) ++queue_.reserved_;
    }
    void usePlace() {
        if (std::exchange(keepsPlace_, false)) --queue_.reserved_;
    }

    DeadlineQueue& queue_;
    Deadline deadline_;
    bool keepsPlace_ = false;
};

}  // namespace nio
