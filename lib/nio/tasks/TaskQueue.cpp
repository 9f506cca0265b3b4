#include <nio/tasks/TaskQueue.h>

#include <algorithm>
#include <utility>

namespace nio {

std::size_t TaskQueue::size() const {
    std::lock_guard lock(lock_);
    return waiting_.size();
}

Result<void> TaskQueue::pushPrepared(std::shared_ptr<PreparedTask> task) noexcept {
    Sleeper sleeper = Sleeper::none;
    {
        std::lock_guard lock(lock_);
        if (closed_) return Errc::stopped;
        if (task->isQueued_.exchange(true, std::memory_order_acq_rel)) return {};
        waiting_.addPrepared(std::move(task));
        sleeper = added();
    }
    if (sleeper != Sleeper::none) rouse(sleeper);
    return {};
}

void TaskQueue::nudge() noexcept {
    Sleeper sleeper = Sleeper::none;
    {
        std::lock_guard lock(lock_);
        anyWaits_.store(true, std::memory_order_release);
        sleeper = takeSleeper();
    }
    if (sleeper != Sleeper::none) rouse(sleeper);
}

void TaskQueue::rouse(Sleeper sleeper) noexcept {
    if (sleeper == Sleeper::inSelect) return wakeUp_->signal();
    makeThread_();
}

void TaskQueue::takeBatch() {
    if (!anyWaits_.load(std::memory_order_acquire)) return;
    batch_.recycle();
    kernel::Ticks oldest = 0;
    {
        std::lock_guard lock(lock_);
        batch_.swap(waiting_);
        depth_.set(0);
        oldest = oldestSince_;
        anyWaits_.store(false, std::memory_order_relaxed);
    }
    if (batch_.isEmpty()) return;
    // Where the CPUs' counters are not quite the same it may have been posted after now.
    const auto waited = static_cast<std::uint64_t>(
        std::max<std::int64_t>(clock_.signedNanoseconds(clock_.now() - oldest), 0));
    delays_.count(waited);
    delaySum_.add(waited);
}

bool TaskQueue::prepareToSleep() {
    if (hasWork()) return false;
    std::lock_guard lock(lock_);
    if (anyWaits_.load(std::memory_order_relaxed)) return false;
    sleeping_.store(true, std::memory_order_relaxed);
    return true;
}

bool TaskQueue::park() {
    if (hasWork()) return false;
    std::lock_guard lock(lock_);
    if (anyWaits_.load(std::memory_order_relaxed)) return false;
    sleeping_.store(true, std::memory_order_relaxed);
    parked_ = true;
    return true;
}

bool TaskQueue::parkAgain(std::size_t tasksBefore) {
    std::lock_guard lock(lock_);
    if (waiting_.size() > tasksBefore) return false;
    sleeping_.store(true, std::memory_order_relaxed);
    parked_ = true;
    return true;
}

void TaskQueue::unpark() {
    std::lock_guard lock(lock_);
    if (std::exchange(parked_, false)) sleeping_.store(false, std::memory_order_relaxed);
}

void TaskQueue::close() {
    std::lock_guard lock(lock_);
    closed_ = true;
}

}  // namespace nio
