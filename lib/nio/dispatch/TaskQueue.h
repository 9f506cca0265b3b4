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
#include <vector>

#include <nio/base/Result.h>
#include <nio/base/UniqueFunction.h>
#include <nio/selector/WakeUp.h>

namespace nio {

using Task = UniqueFunction<void()>;

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

    // stopped or queueFull: `callable` was not moved from.
    template <class F>
    Result<void> push(F&& callable, Post post = Post::limited) {
        bool wake = false;
        {
            std::lock_guard lock(mutex_);
            if (closed_) return Errc::stopped;
            if (post == Post::limited && waiting_.size() >= maximum_) return Errc::queueFull;
            waiting_.emplace_back(std::forward<F>(callable));
            size_.store(waiting_.size(), std::memory_order_release);
            wake = sleeping_;
            sleeping_ = false;
        }
        if (wake) wakeUp_->signal();
        return {};
    }

    // The tasks that wait; those of the batch being run are not counted.
    std::size_t size() const { return size_.load(std::memory_order_acquire); }

    // Runs what waited when the call began, at most `limit`; the rest comes first next time. `run`
    // is called with each task and must not throw.
    template <class Run>
    void runBatch(std::size_t limit, Run&& run) {
        if (next_ == batch_.size()) takeBatch();
        for (; limit > 0 && next_ < batch_.size(); --limit) {
            Task task = std::move(batch_[next_++]);
            run(task);
        }
    }

    bool hasWork() const { return next_ < batch_.size() || size() > 0; }

    // False: there is work, do not sleep. True: the next push() wakes.
    bool prepareToSleep();
    void awake();

    // From now on push() refuses. What was accepted before is still there to be run.
    void close();

  private:
    void takeBatch();

    const std::shared_ptr<WakeUp> wakeUp_;
    const std::size_t maximum_;
    std::mutex mutex_;
    std::vector<Task> waiting_;  // under mutex_, like the two flags
    bool sleeping_ = false;
    bool closed_ = false;
    std::atomic<std::size_t> size_{0};
    std::vector<Task> batch_;
    std::size_t next_ = 0;
};

}  // namespace nio
