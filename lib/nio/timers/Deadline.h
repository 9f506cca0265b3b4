// A timer of one dispatcher: calls a function at a point in time. Setting, moving and cancelling
// need no thread and no system call and may happen many thousand times a second. For timers that
// other threads set or cancel, see Timers.
//
// Thread: the dispatcher's own. It may be constructed on any thread, and destroyed on any once the
// dispatcher has stopped. The callback runs on the dispatcher, between two events.
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

    // Sets or moves the deadline. Throws std::bad_alloc, without any change, only if it was not
    // set.
    void wakeAt(TimePoint when) NIO_REQUIRES(onDispatcher);
    template <class Rep, class Period>
    void wakeAfter(std::chrono::duration<Rep, Period> time) NIO_REQUIRES(onDispatcher) {
        wakeAt(Clock::after(time));
    }
    void cancel() NIO_REQUIRES(onDispatcher);
    bool isSet() const { return index_ != notQueued; }

    // Migration, on the old dispatcher: cancels it and returns the time it was set to.
    std::optional<TimePoint> leave() NIO_REQUIRES(onDispatcher);
    // Migration, on the new dispatcher: moves it to `queue`, set to `when` if present.
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
