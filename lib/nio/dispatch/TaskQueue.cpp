#include <nio/dispatch/TaskQueue.h>

namespace nio {

void TaskQueue::takeBatch() {
    batch_.clear();
    next_ = 0;
    if (size() == 0) return;
    std::lock_guard lock(mutex_);
    batch_.swap(waiting_);
    size_.store(0, std::memory_order_release);
}

bool TaskQueue::prepareToSleep() {
    if (hasWork()) return false;
    std::lock_guard lock(mutex_);
    if (!waiting_.empty()) return false;
    sleeping_ = true;
    return true;
}

void TaskQueue::awake() {
    std::lock_guard lock(mutex_);
    sleeping_ = false;
}

void TaskQueue::close() {
    std::lock_guard lock(mutex_);
    closed_ = true;
}

}  // namespace nio
