// The invocation queue of one dispatcher: tasks from any thread, run in order by one.
//
// A task that was accepted is run exactly once; one that is refused is left untouched with its
// caller. A burst of posts costs at most one wake-up, and none while the dispatcher is awake.
//
// Thread: push() and size() any; the rest the dispatcher's own.
// Limit: `maximum` tasks that wait; internal posts are exempt.
#pragma once

#include <atomic>
#include <concepts>
#include <memory>
#include <mutex>

#include <nio/base/Result.h>
#include <nio/dispatch/TaskList.h>
#include <nio/selector/WakeUp.h>
#include <nio/sys/SpinLock.h>

namespace nio {

// Becomes a task only when the queue takes it: what it is made of stays whole when it is refused.
template <std::invocable Make>
struct TaskMadeWhenTaken {
    Make make;
    operator Task() { return make(); }
};

class TaskQueue {
  public:
    enum class Post { limited, exempt };

    TaskQueue(std::shared_ptr<WakeUp> wakeUp, std::size_t maximum)
        : wakeUp_(std::move(wakeUp)), maximum_(maximum) {}

    // stopped or queueFull: `callable` was not moved from. It is moved or copied under the lock: it
    // must not post while that happens.
    template <class F>
    Result<void> push(F&& callable, Post post = Post::limited) {
        bool wake = false;
        {
            std::lock_guard lock(lock_);
            if (closed_) return Errc::stopped;
            if (post == Post::limited && waiting_.size() >= maximum_) return Errc::queueFull;
            waiting_.add(std::forward<F>(callable));
            if (waiting_.size() == 1) anyWaits_.store(true, std::memory_order_release);
            wake = sleeping_.load(std::memory_order_relaxed);
            if (wake) sleeping_.store(false, std::memory_order_relaxed);
        }
        if (wake) wakeUp_->signal();
        return {};
    }

    // The tasks that wait; those of the batch being run are not counted.
    std::size_t size() const;

    // Runs what waited when the call began, at most `limit`; the rest comes first next time. `run`
    // is called with each task and must not throw. A task runs where it lies and is destroyed when
    // `run` returns.
    template <class Run>
    void runBatch(std::size_t limit, Run&& run) {
        if (batch_.isEmpty()) takeBatch();
        for (; limit > 0 && !batch_.isEmpty(); --limit) {
            run(batch_.first());
            batch_.removeFirst();
        }
    }

    // One look at memory, no lock.
    bool hasWork() const { return !batch_.isEmpty() || anyWaits_.load(std::memory_order_acquire); }

    // False: there is work, do not sleep. True: the next push() wakes.
    bool prepareToSleep();
    void awake() { sleeping_.store(false, std::memory_order_relaxed); }

    // From now on push() refuses. What was accepted before is still there to be run.
    void close();

  private:
    void takeBatch();

    const std::shared_ptr<WakeUp> wakeUp_;
    const std::size_t maximum_;
    // The producers', who write here with each post.
    alignas(64) mutable SpinLock lock_;
    bool closed_ = false;                // under lock_, like waiting_
    std::atomic<bool> sleeping_{false};  // set under lock_
    TaskList waiting_;
    // The dispatcher looks at this line; producers write to it once per batch.
    alignas(64) std::atomic<bool> anyWaits_{false};
    TaskList batch_;
};

}  // namespace nio
