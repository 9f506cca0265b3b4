#include <nio/loop/DispatcherLife.h>

#include <algorithm>
#include <stdexcept>
#include <system_error>

#include <nio/tasks/Invocation.h>

namespace nio {

void DispatcherLife::start(std::function<void()> run) {
    const std::lock_guard lock(joining_);
    if (thread_.joinable()) {
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
    const std::lock_guard lock(joining_);
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
}

}  // namespace nio
