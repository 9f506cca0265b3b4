// When one dispatcher begins and ends, and which thread makes its turns.
//
// Thread: any; Run, Turn, runs() and stop() the one that makes the turns.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <stop_token>
#include <thread>

#include <nio/base/Result.h>
#include <nio/base/ThreadRole.h>
#include <nio/loop/IdleWait.h>
#include <nio/sys/Kernel.h>
#include <nio/sys/Process.h>
#include <nio/tasks/Completion.h>
#include <nio/tasks/WaitGraph.h>

namespace nio {

class DispatcherLife {
  public:
    // All must outlive it.
    DispatcherLife(const DispatcherIdentity& identity, TaskQueue& queue, const IdleWait& idle,
                   std::chrono::nanoseconds handDrivenWait)
        : identity_(identity), queue_(queue), idle_(idle), handDrivenWait_(handDrivenWait) {}

    // Calls `run` on a thread of its own. At most once.
    void start(std::function<void()> run);
    // The same with a thread on demand: when `run` returns without stop(), its thread ends, and the
    // next post to the queue makes a new one. `waitsForPost`: a post makes the first thread, too.
    void startOnDemand(std::function<void()> run, bool waitsForPost);
    // Called on its thread. True: there is no work, and the thread must end.
    bool maySleepWithoutThread() { return isOnDemand() ? queue_.park() : !queue_.hasWork(); }
    // See SelectorThread::join.
    void join();
    // Call before posting the request.
    void closeRequested() { isCloseRequested_.store(true); }
    // The last post that needed a thread could not create one.
    bool isThreadMissing() const { return isThreadMissing_.load(); }
    // start() has been called: its thread makes the turns.
    bool hasThread() const { return startedAt_.load(std::memory_order_relaxed) != neverStarted; }
    // start() was called before this process was forked, so the thread does not exist here. The
    // dispatcher can only be destroyed, which neither joins nor drains anything.
    bool isLeftBehind() const {
        return hasThread() && startedAt_.load(std::memory_order_relaxed) != kernel::forkCount();
    }
    // Leaks the std::thread: to join or detach one that a fork has left behind is undefined.
    void leaveThread() { [[maybe_unused]] const auto* left = new std::thread(std::move(thread_)); }

    bool isStopped() const { return state_.load(std::memory_order_acquire) == State::stopped; }
    // From now on no turn is made.
    void stop();

    // See SelectorThread::invokeAndWait.
    Result<void> runAndWait(Task task, WaitLimits limits) const;
    // CPU time of the thread in run(), without busy-polling; zero before and after.
    std::chrono::nanoseconds busyTime() const;

    // While it lives this thread makes one turn after the other.
    class Run {
      public:
        explicit Run(DispatcherLife& life);
        Run(const Run&) = delete;
        Run& operator=(const Run&) = delete;
        ~Run();

      private:
        DispatcherLife& life_;
    };
    // Whether a Run lives: turns follow each other.
    bool runs() const { return runs_.load(std::memory_order_relaxed); }

    // While it lives this thread makes a turn, the current one. Throws std::logic_error if a turn
    // is being made already.
    class Turn {
      public:
        explicit Turn(DispatcherLife& life)
            : claim_(life), current_(life.identity_), nested_(current_.outer(), life.identity_) {}

      private:
        struct Claim {
            explicit Claim(DispatcherLife& claimed);
            Claim(const Claim&) = delete;
            Claim& operator=(const Claim&) = delete;
            ~Claim() { life.turning_.store(false, std::memory_order_release); }
            DispatcherLife& life;
        } claim_;
        const DispatcherIdentity::Turn current_;
        const WaitGraph::Edge nested_;
    };

  private:
    enum class State { fresh, running, stopped };
    static constexpr std::uint32_t neverStarted = UINT32_MAX;

    void begin() {
        State fresh = State::fresh;
        state_.compare_exchange_strong(fresh, State::running);
    }
    [[noreturn, gnu::cold]] void refuseTurn() const;
    bool isOnDemand() const { return runOnDemand_ != nullptr; }
    void makeThread() noexcept;
    bool mayWaitForPost(std::size_t tasksBefore) noexcept;
    void newThread();
    std::stop_token threadMissing() const;

    const DispatcherIdentity& identity_;
    TaskQueue& queue_;
    const IdleWait& idle_;
    const std::chrono::nanoseconds handDrivenWait_;
    std::atomic<State> state_{State::fresh};
    std::atomic<bool> turning_{false};
    std::atomic<std::uint32_t> startedAt_{neverStarted};  // the fork count then
    std::atomic<std::uint64_t> lastTurnBy_{0};            // its threadNumber()
    std::atomic<int> cpuClock_{kernel::noCpuClock};
    std::atomic<bool> runs_{false};
    mutable std::mutex joining_;
    std::thread thread_;
    // On demand, under joining_ once started.
    std::function<void()> runOnDemand_;
    std::condition_variable ended_;
    mutable std::stop_source threadMissing_{std::nostopstate};
    bool endsByHand_ = false;
    std::atomic<bool> isThreadMissing_{false};
    std::atomic<bool> isCloseRequested_{false};
    std::atomic<std::int64_t> spunBefore_{0};  // nanoseconds, by the threads before this one
};

inline DispatcherLife::Turn::Claim::Claim(DispatcherLife& claimed) : life(claimed) {
    if (life.turning_.exchange(true, std::memory_order_acquire)) life.refuseTurn();
    if (life.state_.load(std::memory_order_relaxed) == State::fresh) life.begin();
    // Only the thread that wrote it takes it for its own.
    life.lastTurnBy_.store(kernel::threadNumber(), std::memory_order_relaxed);
}

}  // namespace nio
