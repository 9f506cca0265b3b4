#include <nio/connection/ConnectionPermit.h>

#include <algorithm>
#include <new>

namespace nio {

void ConnectionGate::setMaximum(std::size_t maximum) {
    maximum_.store(maximum);
    if (waited_.load() && open_.load() < maximum) tellWaiters();
}

bool ConnectionGate::enter() {
    if (open_.fetch_add(1) < maximum_) return true;
    open_.fetch_sub(1);
    return false;
}

void ConnectionGate::leave() {
    open_.fetch_sub(1);
    if (waited_.load()) tellWaiters();
}

// A permit may be returned before the waiter is visible to its holder: hence the second check.
void ConnectionGate::waitForOne(UniqueFunction<void()> whenFree, const void* waiter) {
    add({waiter, std::move(whenFree)});
    if (open_.load() < maximum_) tellWaiters();
}

void ConnectionGate::add(Waiting waiting) {
    const std::lock_guard lock(mutex_);
    const auto same = std::find_if(waiting_.begin(), waiting_.end(), [&](const Waiting& each) {
        return each.waiter == waiting.waiter;
    });
    same == waiting_.end() ? static_cast<void>(waiting_.push_back(std::move(waiting)))
                           : static_cast<void>(*same = std::move(waiting));
    waited_.store(true);
}

// All of them: one may have nobody to let in. Those that cannot be told stay, in the memory that
// they have.
void ConnectionGate::tellWaiters() {
    std::list<Waiting> told;
    {
        const std::lock_guard lock(mutex_);
        if (!waited_.exchange(false)) return;
        told.swap(waiting_);
    }
    std::erase_if(told, [](Waiting& each) {
        try {
            each.whenFree();
            return true;
        } catch (const std::bad_alloc&) {
            return false;
        }
    });
    if (told.empty()) return;
    const std::lock_guard lock(mutex_);
    waiting_.splice(waiting_.end(), told);
    waited_.store(true);
}

}  // namespace nio
