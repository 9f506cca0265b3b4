// A point in time at which a dispatcher calls a function: cheap to set, to move and to cancel, many
// thousand times a second (send plans, protocol time-outs). It costs no thread and no system call.
// For what other threads set or cancel, see Timers.
//
// Thread: the dispatcher's own, all of it; constructing it, and destroying it once that has
// stopped, may happen elsewhere. The callback runs there, between two events.
// Lifetime: destroying it cancels it; the callback may destroy it. It is cancelled when its
// dispatcher stops.
// Errors: an exception from the callback goes to the dispatcher's failure handler.
#pragma once

#include <cstddef>
#include <optional>

#include <nio/base/ThreadRole.h>
#include <nio/timers/DeadlineQueue.h>

namespace nio {

class Deadline {
  public:
    Deadline(DeadlineQueue& queue, UniqueFunction<void()> expired)
        : queue_(&queue), expired_(std::move(expired)) {}
    Deadline(const Deadline&) = delete;
    Deadline& operator=(const Deadline&) = delete;
    ~Deadline() {
        if (destroyedInside_ != nullptr) *destroyedInside_ = true;
        stop();
    }

    // Replaces an earlier setting. What throws std::bad_alloc has changed nothing; one that is set
    // already never does.
    void wakeAt(TimePoint when) NIO_REQUIRES(onDispatcher);
    template <class Rep, class Period>
    void wakeAfter(std::chrono::duration<Rep, Period> time) NIO_REQUIRES(onDispatcher) {
        wakeAt(Clock::after(time));
    }
    void cancel() NIO_REQUIRES(onDispatcher);
    bool isSet() const { return index_ != notQueued; }

    // For one that moves to another dispatcher: cancels it; returns the time it was set to.
    std::optional<TimePoint> leave() NIO_REQUIRES(onDispatcher);
    // From now on it is kept there, set to `when` if there is one.
    void arrive(DeadlineQueue& queue, std::optional<TimePoint> when) NIO_REQUIRES(onDispatcher);

    // For the dispatcher.
    void expire() NIO_REQUIRES(onDispatcher);

  private:
    friend class DeadlineQueue;
    friend class ReservedDeadline;

    static constexpr std::size_t notQueued = static_cast<std::size_t>(-1);

    void stop();

    DeadlineQueue* queue_;
    std::size_t index_ = notQueued;
    bool* destroyedInside_ = nullptr;
    UniqueFunction<void()> expired_;
};

}  // namespace nio
