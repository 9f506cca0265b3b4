// Timers that any thread may set and cancel, kept by one timer thread; an expiry is posted to its
// dispatcher with invokeLater and never runs on the timer thread (the article's rule).
//
//     nio::Timers timers;
//     nio::Timer timer = timers.after(std::chrono::seconds(1), dispatcher, [] { … });
//
// A dispatcher's own, frequent deadlines are better served by Deadline: an expiry here costs two
// thread wake-ups.
//
// Thread: any.
// Lifetime: a Timer is a handle that may be let go: the timer goes on. Destroying Timers cancels
// all. An expiry for a dispatcher that has stopped is dropped. The tasks must not outlive what they
// refer to: cancel first. What a task has captured is destroyed on its dispatcher too: after it has
// run for the last time, or soon after cancel() or ~Timers (an invokeAndWait there after these
// waits for it, too). Only where the dispatcher has stopped, or has no memory for it, it ends with
// the timer and its last handle. So a task must own neither its dispatcher nor the Timers.
// Errors: an exception from the task goes to the dispatcher's failure handler. An expiry that finds
// the dispatcher's queue full still goes in: it is internal.
#pragma once

#include <algorithm>
#include <chrono>
#include <concepts>
#include <memory>
#include <utility>

#include <nio/sys/Clock.h>
#include <nio/tasks/TaskQueue.h>

namespace nio {

// SelectorThread: what has a queue that tasks are posted to.
template <class D>
concept TaskTarget = requires(const D& dispatcher) {
    { dispatcher.queue() } -> std::convertible_to<std::shared_ptr<TaskQueue>>;
};

class Timer {
  public:
    Timer() = default;

    // True: the task will not begin (again), also when its expiry was queued already. False: it has
    // begun (or there is none). One that has begun is over only for who asks on its dispatcher,
    // outside of it: elsewhere a periodic one may be running still, as after ~Timers; wait for that
    // with an invokeAndWait on its dispatcher.
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
    // Throws std::system_error. Make them after a fork (daemon(3)): in a process that is forked
    // later after() and every() throw std::logic_error, since the thread is not there.
    Timers();
    Timers(const Timers&) = delete;
    Timers& operator=(const Timers&) = delete;
    ~Timers();

    // Once. A time of zero or less is due at once, still by way of the queue.
    template <class Rep, class Period, TaskTarget D>
    Timer after(std::chrono::duration<Rep, Period> time, D& dispatcher, Task task) {
        return set(Clock::bounded(time), dispatcher.queue(), std::move(task),
                   std::chrono::nanoseconds::zero());
    }
    // Again and again, each time whole periods from now. What a busy dispatcher, the timer thread
    // or a stopped process has missed is not made up for: at most one expiry waits in the queue,
    // and the next one is in the future. A period of zero or less is a nanosecond: it keeps a CPU
    // busy.
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
