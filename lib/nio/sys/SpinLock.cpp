#include <nio/sys/SpinLock.h>

#include <nio/sys/Backoff.h>

namespace nio {

void SpinLock::wait() noexcept {
    Backoff backoff;
    do {
        while (taken_.load(std::memory_order_relaxed)) backoff.pause();
    } while (taken_.exchange(true, std::memory_order_acquire));
}

}  // namespace nio
