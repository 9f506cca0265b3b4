#include <nio/dispatch/Completion.h>

namespace nio {

// Notified under the mutex: the waiter owns this object and destroys it as soon as it may go on.
void Completion::finish() {
    std::lock_guard lock(mutex_);
    done_ = true;
    finished_.notify_one();
}

void Completion::wait() {
    std::unique_lock lock(mutex_);
    finished_.wait(lock, [this] { return done_; });
}

}  // namespace nio
