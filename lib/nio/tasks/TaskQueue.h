// The invocation queue of one dispatcher: tasks from any thread, run in order by one.
//
// A task that was accepted is run exactly once; one that is refused is left untouched with its
// caller. A burst of posts costs at most one wake-up, and none while the dispatcher is awake.
//
// Thread: push(), pushPrepared(), nudge(), size() any; what says so too; the rest the dispatcher's.
// Limit: `maximum` tasks that wait, and those that have been passed on elsewhere and hold a
// QueueRoom; internal posts are exempt.
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
        : wakeUp_(std::move(wakeUp)),
          room_(static_cast<std::ptrdiff_t>(std::min<std::size_t>(maximum, PTRDIFF_MAX))) {}

    // stopped or queueFull: `callable` was not moved from. It is moved or copied under the lock: it
    // must not post while that happens.
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

    // A post for which being out of memory is one more refusal.
    template <class F>
    Result<void> pushOrRefuse(F&& callable, Post post = Post::exempt) {
        try {
            return push(std::forward<F>(callable), post);
        } catch (const std::bad_alloc&) {
            return std::errc::not_enough_memory;
        }
    }

    // The same of a task that is made already: needs no memory, and no room. Only stopped: it never
    // runs then.
    Result<void> pushPrepared(std::shared_ptr<PreparedTask> task) noexcept;

    // hasWork() until the next batch, though no task waits: there is something else to look at.
    // Needs no memory.
    void nudge() noexcept;

    // The tasks that wait; those of the batch being run are not counted.
    std::size_t size() const;
    // The same without the lock: of a moment ago.
    std::size_t depth() const { return depth_.read(); }
    // Those that have run. Thread: any.
    std::uint64_t tasksRun() const { return ran_.read(); }
    // How long the oldest task of each batch had waited, in nanoseconds. Thread: any.
    const PublishedHistogram& delays() const { return delays_; }
    std::uint64_t delaySum() const { return delaySum_.read(); }

    // Runs what waited when the call began, at most `limit`; the rest comes first next time. `run`
    // is called with each task and must not throw. A task runs where it lies and is destroyed when
    // `run` returns, or ends its thread.
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
                // It may be posted again from now on. Also orders what was done before the posts
                // that found it queued before its run.
                prepared->isQueued_.exchange(false, std::memory_order_acq_rel);
                run(*prepared);
                continue;
            }
            const Remove remove{batch_};
            run(batch_.first());
        }
        if (ran > 0) ran_.add(ran);
    }

    // One look at memory, no lock.
    bool hasWork() const { return !batch_.isEmpty() || anyWaits_.load(std::memory_order_acquire); }

    // False: there is work, do not sleep. True: the next push() wakes.
    bool prepareToSleep();
    void awake() { sleeping_.store(false, std::memory_order_relaxed); }

    // --- for a dispatcher whose thread comes and goes ---------------------------------------

    // Called in place of the wake-up by the post that finds the queue parked, on that thread. Must
    // not throw. Before the first park().
    void callWhenParked(UniqueFunction<void()> makeThread) { makeThread_ = std::move(makeThread); }
    // False: there is work. True: no thread makes turns from now on; the next post calls for one.
    bool park();
    // No thread could be made: the next post tries again. False: there has been one since so many
    // tasks waited; try again. Thread: the one that was called.
    bool parkAgain(std::size_t tasksBefore);
    // Turns are made by hand from now on: no post calls for a thread.
    void unpark();

    // From now on push() refuses. What was accepted before is still there to be run.
    void close();

    // Whether its dispatcher still takes connections, for those who only know the queue: until it
    // begins to drain. Thread: any.
    bool takesConnections() const { return takesConnections_.load(std::memory_order_relaxed); }
    void refuseConnections() { takesConnections_.store(false, std::memory_order_relaxed); }

  private:
    friend class QueueRoom;

    // How the dispatcher sleeps that a post must wake.
    enum class Sleeper { none, inSelect, parked };

    // Under lock_, both.
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
    std::atomic<std::ptrdiff_t> room_;  // below zero: a batch was passed on to a full place
    std::atomic<bool> takesConnections_{true};
    // The producers', who write here with each post.
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

// One task's place in the queue that has accepted it, kept while the task waits elsewhere.
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
