#include <nio/loop/DispatcherLife.h>

#include <algorithm>
#include <stdexcept>
#include <system_error>

#include <nio/base/Log.h>
#include <nio/tasks/Invocation.h>

namespace nio {

void DispatcherLife::start(std::function<void()> run) {
    const std::lock_guard lock(joining_);
    if (thread_.joinable() || isOnDemand()) {
        throw std::logic_error("dispatcher '" + identity_.name() + "' started twice");
    }
    lastTurnBy_.store(0);
    startedAt_.store(kernel::forkCount());
    try {
        thread_ = std::thread(std::move(run));
    } catch (const std::system_error& error) {
        throw std::system_error(error.code(), "a thread for dispatcher '" + identity_.name() + "'");
    }
    // Not before there is a thread: nobody may wait for one that could not be made.
    begin();
}

void DispatcherLife::startOnDemand(std::function<void()> run, bool waitsForPost) {
    const std::lock_guard lock(joining_);
    if (thread_.joinable() || isOnDemand()) {
        throw std::logic_error("dispatcher '" + identity_.name() + "' started twice");
    }
    lastTurnBy_.store({});
    startedAt_.store(kernel::forkCount());
    runOnDemand_ = std::move(run);
    queue_.callWhenParked([this] { makeThread(); });
    try {
        if (!waitsForPost || !queue_.park()) newThread();
    } catch (...) {
        runOnDemand_ = nullptr;
        throw;
    }
    begin();
}

// By a post, which has no use for an exception: its task stays queued, and the next post tries
// again. The thread before has nothing left to do but to end.
void DispatcherLife::makeThread() noexcept {
    if (isLeftBehind()) return;
    const std::lock_guard lock(joining_);
    isThreadMissing_ = false;
    try {
        if (thread_.joinable()) thread_.join();
        newThread();
    } catch (const std::exception& error) {
        isThreadMissing_ = true;
        queue_.parkAgain();
        ended_.notify_all();
        log(LogLevel::error, error.what());
    }
}

// The id of a thread that has ended may be given to another one.
void DispatcherLife::newThread() {
    try {
        thread_ = std::thread([this] {
            runOnDemand_();
            lastTurnBy_.store({});
        });
    } catch (const std::system_error& error) {
        throw std::system_error(error.code(), "a thread for dispatcher '" + identity_.name() + "'");
    }
}

void DispatcherLife::stop() {
    if (!isOnDemand()) return state_.store(State::stopped, std::memory_order_release);
    // Under the lock: join() must not wait for a thread that waits for the lock.
    const std::lock_guard lock(joining_);
    state_.store(State::stopped, std::memory_order_release);
    ended_.notify_all();
}

void DispatcherLife::join() {
    if (isLeftBehind()) {
        throw std::logic_error("dispatcher '" + identity_.name() +
                               "' was started before this process was forked: its thread is not "
                               "here; fork before start()");
    }
    if (identity_.isCurrent()) {
        throw std::logic_error("dispatcher '" + identity_.name() +
                               "' waits for itself: join() in its own turn");
    }
    std::unique_lock lock(joining_);
    if (isOnDemand()) ended_.wait(lock, [this] { return isStopped() || isThreadMissing_; });
    if (thread_.joinable()) thread_.join();
}

void DispatcherLife::refuseTurn() const {
    throw std::logic_error("dispatcher '" + identity_.name() + "' is making a turn already");
}

// Turns that another thread makes by hand may have ended for ever: that wait has a limit always.
Result<void> DispatcherLife::runAndWait(Task task, WaitLimits limits) const {
    if (identity_.isCurrent()) {
        task();
        return {};
    }
    const State state = state_.load(std::memory_order_acquire);
    if (state == State::fresh) return Errc::notStarted;
    if (state == State::stopped || isLeftBehind()) return Errc::stopped;
    const bool waitsForItself =
        lastTurnBy_.load(std::memory_order_relaxed) == kernel::threadNumber() && !turning_.load();
    if (waitsForItself) return Errc::waitCycle;
    if (!limits.timeout && !hasThread() && !runs()) limits.timeout = handDrivenWait_;
    return runAndWaitOn(queue_, identity_, task, idle_.mostSpin(), limits);
}

std::chrono::nanoseconds DispatcherLife::busyTime() const {
    const int clock = cpuClock_.load(std::memory_order_relaxed);
    if (clock == kernel::noCpuClock) return std::chrono::nanoseconds::zero();
    const std::chrono::nanoseconds spun = idle_.spun();
    return std::max(kernel::cpuTimeOf(clock) - spun, std::chrono::nanoseconds::zero());
}

DispatcherLife::Run::Run(DispatcherLife& life) : life_(life) {
    life_.cpuClock_.store(kernel::threadCpuClock(), std::memory_order_relaxed);
    life_.runs_.store(true, std::memory_order_relaxed);
}

DispatcherLife::Run::~Run() {
    life_.cpuClock_.store(kernel::noCpuClock, std::memory_order_relaxed);
    life_.runs_ = false;
}

}  // namespace nio
