#include <nio/connection/ConnectionPermit.h>

#include <new>

namespace nio {

void ConnectionGate::setMaximum(std::size_t maximum) {
    maximum_.store(maximum);
    if (waited_.load() && open_.load() < maximum) tellWaiter();
}

bool ConnectionGate::enter() {
    if (open_.fetch_add(1) < maximum_) return true;
    open_.fetch_sub(1);
    return false;
}

void ConnectionGate::leave() {
    open_.fetch_sub(1);
    if (waited_.load()) tellWaiter();
}

// A permit may be returned before the waiter is visible to its holder: hence the second check.
void ConnectionGate::waitForOne(UniqueFunction<void()> whenFree) {
    {
        std::lock_guard lock(mutex_);
        whenFree_ = std::move(whenFree);
        waited_.store(true);
    }
    if (open_.load() < maximum_) tellWaiter();
}

void ConnectionGate::tellWaiter() {
    UniqueFunction<void()> waiter;
    {
        std::lock_guard lock(mutex_);
        if (!waited_.exchange(false)) return;
        waiter = std::move(whenFree_);
    }
    try {
        waiter();
    } catch (const std::bad_alloc&) {
        std::lock_guard lock(mutex_);
        whenFree_ = std::move(waiter);
        waited_.store(true);
    }
}

}  // namespace nio
