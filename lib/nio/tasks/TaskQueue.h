// The invocation queue of one dispatcher: tasks from any thread, run in order by one.
//
// A task that was accepted is run exactly once; one that is refused is left untouched with its
// caller. A burst of posts costs at most one wake-up, and none while the dispatcher is awake.
//
// Thread: push(), pushOrRefuse(), pushPrepared(), nudge(), size() and depth() any, and those that
// say so; the rest the dispatcher's own.
// Limit: `maximum` waiting tasks, including those forwarded elsewhere that hold a QueueRoom.
// Internal posts are exempt, and the batch being run does not count.
#pragma once

#include <algorithm>
#include <atomic>
#include <concepts>
#include <cstdint>
#include <memory>
#include <mutex>

#include <nio/base/Histogram.h>
#include <nio/base/Result.h>
#include <nio/base/UniqueFunction.h>
#include <nio/selector/WakeUp.h>
#include <nio/sys/SpinLock.h>
#include <nio/sys/Ticks.h>
#include <nio/tasks/TaskList.h>

namespace nio {

// Makes the task only once the queue accepts it, so that a refusal leaves its parts untouched.
template <std::invocable Make>
struct TaskMadeWhenTaken {
    Make make;
    operator Task() { return make(); }
};

class TaskQueue {
  public:
    enum class Post { limited, exempt };

    TaskQueue(std::shared_ptr<WakeUp> wakeUp, std::size_t maximum)
        : wakeUp_(std::move(wakeUp)),
          room_(static_cast<std::ptrdiff_t>(std::min<std::size_t>(maximum, PTRDIFF_MAX))) {}

    // Errors: stopped, queueFull; `callable` is then not moved from. It is moved or copied under
    // the lock, so its constructors must not post.
    template <class F>
    Result<void> push(F&& callable, Post post = Post::limited) {
        Sleeper sleeper = Sleeper::none;
        {
            std::lock_guard lock(lock_);
            if (closed_) return Errc::stopped;
            if (post == Post::limited && isFull()) return Errc::queueFull;
            waiting_.add(std::forward<F>(callable));
            sleeper = added();
        }
        if (sleeper != Sleeper::none) rouse(sleeper);
        return {};
    }

    // The same with not_enough_memory as an error, not an exception.
    template <class F>
    Result<void> pushOrRefuse(F&& callable, Post post = Post::exempt) {
        try {
            return push(std::forward<F>(callable), post);
        } catch (const std::bad_alloc&) {
            return std::errc::not_enough_memory;
        }
    }

    // The same for a prepared task: needs no memory and ignores the limit. Error: stopped; the task
    // then never runs.
    Result<void> pushPrepared(std::shared_ptr<PreparedTask> task) noexcept;

    // Wakes the dispatcher without a task, for other work: hasWork() is true until the next batch.
    // Needs no memory.
    void nudge() noexcept;

    // The tasks that wait; those of the batch being run are not counted.
    std::size_t size() const;
    // The same without the lock: size() a moment ago.
    std::size_t depth() const { return depth_.read(); }
    // Number of tasks run so far. Thread: any.
    std::uint64_t tasksRun() const { return ran_.read(); }
    // How long the oldest task of each batch had waited, in nanoseconds. Thread: any.
    const PublishedHistogram& delays() const { return delays_; }
    std::uint64_t delaySum() const { return delaySum_.read(); }

    // Runs the tasks that were waiting when the call began, at most `limit`; the rest runs first
    // next time. `run` is called with each task and must not throw. A task runs in place and is
    // destroyed when `run` returns or ends its thread.
    template <class Run>
    void runBatch(std::size_t limit, Run&& run) {
        if (batch_.isEmpty()) takeBatch();
        std::size_t ran = 0;
        struct Remove {
            TaskList& batch;
            ~Remove() { batch.removeFirst(); }
        };
        for (; ran < limit && !batch_.isEmpty(); ++ran) {
            if (const std::shared_ptr<PreparedTask> prepared = batch_.takePrepared()) {
                // From here on it can be posted again. The exchange also makes visible to this run
                // what happened before the posts that found it queued.
                prepared->isQueued_.exchange(false, std::memory_order_acq_rel);
                run(*prepared);
                continue;
            }
            const Remove remove{batch_};
            run(batch_.first());
        }
        if (ran > 0) ran_.add(ran);
    }

    // Takes no lock.
    bool hasWork() const { return !batch_.isEmpty() || anyWaits_.load(std::memory_order_acquire); }

    // False: there is work, do not sleep. True: the next push() wakes.
    bool prepareToSleep();
    void awake() { sleeping_.store(false, std::memory_order_relaxed); }

    // --- for a dispatcher with a thread on demand -------------------------------------------

    // `makeThread` replaces the wake-up if the queue is parked: the post calls it on its own
    // thread. It must not throw. Call this before the first park().
    void callWhenParked(UniqueFunction<void()> makeThread) { makeThread_ = std::move(makeThread); }
    // False: there is work. True: parked, no thread makes turns; the next post calls `makeThread`.
    bool park();
    // Parks again, since no thread could be made; the next post retries. False: by now more than
    // `tasksBefore` tasks wait; retry at once. Thread: that of the post.
    bool parkAgain(std::size_t tasksBefore);
    // From now on turns are made by hand: no post calls `makeThread`.
    void unpark();

    // From now on push() refuses. Accepted tasks can still be run.
    void close();

    // Whether the dispatcher still accepts connections: until it begins to drain. Kept here for
    // callers that know only the queue. Thread: any.
    bool takesConnections() const { return takesConnections_.load(std::memory_order_relaxed); }
    void refuseConnections() { takesConnections_.store(false, std::memory_order_relaxed); }

  private:
    friend class QueueRoom;

    // How the dispatcher sleeps, and so how a post wakes it.
    enum class Sleeper { none, inSelect, parked };

    // Both require lock_.
    Sleeper added() {
        depth_.set(waiting_.size());
        if (waiting_.size() == 1) {
            oldestSince_ = clock_.now();
            anyWaits_.store(true, std::memory_order_release);
        }
        return takeSleeper();
    }
    Sleeper takeSleeper() {
        if (!sleeping_.load(std::memory_order_relaxed)) return Sleeper::none;
        sleeping_.store(false, std::memory_order_relaxed);
        return std::exchange(parked_, false) ? Sleeper::parked : Sleeper::inSelect;
    }
    void rouse(Sleeper sleeper) noexcept;
    void takeBatch();
    bool isFull() const {
        const auto waiting = static_cast<std::ptrdiff_t>(waiting_.size());
        return waiting >= room_.load(std::memory_order_relaxed);
    }

    const std::shared_ptr<WakeUp> wakeUp_;
    std::atomic<std::ptrdiff_t> room_;  // below zero: more tasks were forwarded than fit
    std::atomic<bool> takesConnections_{true};
    // Producers write here with each post.
    alignas(64) mutable SpinLock lock_;
    bool closed_ = false;                // under lock_, like waiting_
    std::atomic<bool> sleeping_{false};  // set under lock_
    bool parked_ = false;                // under lock_: asleep without a thread
    TaskList waiting_;
    Published<std::size_t> depth_;   // written under lock_
    kernel::Ticks oldestSince_ = 0;  // under lock_
    const kernel::TickClock clock_ = kernel::TickClock::best();
    // The dispatcher looks at this line; producers write to it once per batch.
    alignas(64) std::atomic<bool> anyWaits_{false};
    TaskList batch_;
    Published<std::uint64_t> ran_;
    PublishedHistogram delays_;
    Published<std::uint64_t> delaySum_;
    UniqueFunction<void()> makeThread_;
};

// Keeps a task counted in the queue that accepted it while the task waits elsewhere.
//
// Thread: any; a value.
class QueueRoom {
  public:
    explicit QueueRoom(std::shared_ptr<TaskQueue> queue) : queue_(std::move(queue)) {
        queue_->room_.fetch_sub(1, std::memory_order_relaxed);
    }
    QueueRoom(QueueRoom&& other) noexcept = default;
    QueueRoom& operator=(QueueRoom&&) = delete;
    ~QueueRoom() {
        if (queue_ != nullptr) queue_->room_.fetch_add(1, std::memory_order_relaxed);
    }

  private:
    std::shared_ptr<TaskQueue> queue_;
};

}  // namespace nio
