// Timers that any thread may set and cancel, kept by one timer thread; an expiry is posted to its
// dispatcher with invokeLater and never runs on the timer thread (the article's rule).
//
//     nio::Timers timers;
//     nio::Timer timer = timers.after(std::chrono::seconds(1), dispatcher, [] { … });
//
// For frequent timers that a dispatcher sets for itself use Deadline: an expiry here costs two
// thread wake-ups.
//
// Thread: any.
// Lifetime: a Timer is a handle; destroying it does not cancel the timer. Destroying Timers cancels
// all. An expiry for a dispatcher that has stopped is dropped. What a task refers to must outlive
// the timer: cancel first. A task and its captures are destroyed on its dispatcher, after its last
// run or soon after cancel() or ~Timers; an invokeAndWait there after these waits for that, too.
// Only if the dispatcher has stopped, or has no memory for it, they are destroyed with the timer
// and its last handle. So a task must own neither its dispatcher nor the Timers.
// Errors: an exception from the task goes to the dispatcher's failure handler. A full queue of the
// dispatcher does not refuse an expiry.
#pragma once

#include <algorithm>
#include <chrono>
#include <concepts>
#include <memory>
#include <utility>

#include <nio/sys/Clock.h>
#include <nio/tasks/TaskQueue.h>

namespace nio {

// A SelectorThread, or anything else with a task queue.
template <class D>
concept TaskTarget = requires(const D& dispatcher) {
    { dispatcher.queue() } -> std::convertible_to<std::shared_ptr<TaskQueue>>;
};

class Timer {
  public:
    Timer() = default;

    // True: the task will not start (again), even if its expiry was queued already. False: a
    // one-shot task has started, the timer is over, or the handle is empty. On other threads the
    // task may still be running when this, or ~Timers, returns; to wait for its end call
    // invokeAndWait on its dispatcher.
    bool cancel();
    bool isPending() const;

  private:
    friend class Timers;
    struct State;

    explicit Timer(std::shared_ptr<State> state) : state_(std::move(state)) {}

    std::shared_ptr<State> state_;
};

class Timers {
  public:
    // Throws std::system_error. Construct it after a fork (daemon(3)): in a process that is forked
    // later there is no timer thread, and after() and every() throw std::logic_error.
    Timers();
    Timers(const Timers&) = delete;
    Timers& operator=(const Timers&) = delete;
    ~Timers();

    // Runs `task` once. A time of zero or less is due at once, still through the queue.
    template <class Rep, class Period, TaskTarget D>
    Timer after(std::chrono::duration<Rep, Period> time, D& dispatcher, Task task) {
        return set(Clock::bounded(time), dispatcher.queue(), std::move(task),
                   std::chrono::nanoseconds::zero());
    }
    // Runs `task` repeatedly, at whole periods from now. Missed expiries are skipped: at most one
    // waits in the queue, and the next one is in the future. A period of zero or less counts as a
    // nanosecond, which keeps a CPU busy.
    template <class Rep, class Period, TaskTarget D>
    Timer every(std::chrono::duration<Rep, Period> period, D& dispatcher, Task task) {
        const auto positive = std::max(Clock::bounded(period), Clock::duration(1));
        return set(positive, dispatcher.queue(), std::move(task), positive);
    }

  private:
    Timer set(std::chrono::nanoseconds time, const std::shared_ptr<TaskQueue>& queue, Task task,
              std::chrono::nanoseconds period);

    class Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace nio
