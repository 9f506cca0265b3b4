#include <nio/dispatch/TaskQueue.h>

namespace nio {

std::size_t TaskQueue::size() const {
    std::lock_guard lock(lock_);
    return waiting_.size();
}

void TaskQueue::takeBatch() {
    if (!anyWaits_.load(std::memory_order_acquire)) return;
    batch_.recycle();
    std::lock_guard lock(lock_);
    batch_.swap(waiting_);
    anyWaits_.store(false, std::memory_order_relaxed);
}

bool TaskQueue::prepareToSleep() {
    if (hasWork()) return false;
    std::lock_guard lock(lock_);
    if (!waiting_.isEmpty()) return false;
    sleeping_.store(true, std::memory_order_relaxed);
    return true;
}

void TaskQueue::close() {
    std::lock_guard lock(lock_);
    closed_ = true;
}

}  // namespace nio
