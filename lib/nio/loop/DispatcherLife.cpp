#include <nio/loop/DispatcherLife.h>

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <system_error>
#include <utility>

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
// again. No lock is held while it logs: a logger may post, and what fails then is not logged.
void DispatcherLife::makeThread() noexcept {
    if (isLeftBehind()) return;
    thread_local bool isLogging = false;
    for (bool isOver = false; !isOver;) {
        const std::size_t tasks = queue_.size();
        try {
            const std::lock_guard lock(joining_);
            if (endsByHand_) return;
            isThreadMissing_ = false;
            return newThread();
        } catch (const std::exception& error) {
            isOver = mayWaitForPost(tasks);
            if (!isOver || std::exchange(isLogging, true)) continue;
            log(LogLevel::error, error.what());
            isLogging = false;
        }
    }
}

// False: there was one already, while no thread could be made.
bool DispatcherLife::mayWaitForPost(std::size_t tasksBefore) noexcept {
    std::stop_source missing(std::nostopstate);
    {
        const std::lock_guard lock(joining_);
        if (!queue_.parkAgain(tasksBefore)) return false;
        isThreadMissing_ = true;
        missing.swap(threadMissing_);
        ended_.notify_all();
    }
    missing.request_stop();
    return true;
}

std::stop_token DispatcherLife::threadMissing() const {
    const std::lock_guard lock(joining_);
    if (!threadMissing_.stop_possible()) threadMissing_ = std::stop_source();
    return threadMissing_.get_token();
}

// A post does not wait for the thread before, which may be the one that posts, or wait for a lock
// that the poster holds: the new thread does.
void DispatcherLife::newThread() {
    const auto before = std::make_shared<std::thread>(std::move(thread_));
    try {
        thread_ = std::thread([this, before] {
            if (before->joinable()) before->join();
            spunBefore_.store(idle_.spun().count(), std::memory_order_relaxed);
            runOnDemand_();
        });
    } catch (const std::system_error& error) {
        thread_ = std::move(*before);
        throw std::system_error(error.code(), "a thread for dispatcher '" + identity_.name() + "'");
    } catch (...) {
        thread_ = std::move(*before);
        throw;
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
    if (isOnDemand()) {
        ended_.wait(lock,
                    [this] { return isStopped() || (isThreadMissing_ && isCloseRequested_); });
    }
    if (thread_.joinable()) thread_.join();
    if (isStopped() || !isOnDemand()) return;
    // What is left to do is done by hand, by its destructor at the latest.
    endsByHand_ = true;
    startedAt_.store(neverStarted);
    queue_.unpark();
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
    // Else it would wait for a post that nobody makes.
    const bool mayLackThread = isOnDemand() && !limits.any();
    if (mayLackThread) limits.stop = threadMissing();
    const Result<void> ran = runAndWaitOn(queue_, identity_, task, idle_.mostSpin(), limits);
    if (mayLackThread && !ran && ran.error().is(Errc::cancelled)) {
        return std::errc::resource_unavailable_try_again;
    }
    return ran;
}

std::chrono::nanoseconds DispatcherLife::busyTime() const {
    const int clock = cpuClock_.load(std::memory_order_relaxed);
    if (clock == kernel::noCpuClock) return std::chrono::nanoseconds::zero();
    const std::chrono::nanoseconds spun =
        idle_.spun() - std::chrono::nanoseconds(spunBefore_.load(std::memory_order_relaxed));
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
