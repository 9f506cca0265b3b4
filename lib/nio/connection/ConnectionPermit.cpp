#include <nio/connection/ConnectionPermit.h>

#include <algorithm>
#include <iterator>
#include <new>

namespace nio {

void ConnectionGate::setMaximum(std::size_t maximum) {
    maximum_.store(maximum);
    if (waited_.load() && open_.load() < maximum) tellWaiters();
}

void ConnectionGate::expectWaiter() {
    std::list<Waiting> more(1);
    const std::lock_guard lock(mutex_);
    spare_.splice(spare_.end(), more);
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
    if (same != waiting_.end()) {
        *same = std::move(waiting);
    } else {
        if (spare_.empty()) spare_.emplace_back();
        spare_.front() = std::move(waiting);
        waiting_.splice(waiting_.end(), spare_, spare_.begin());
    }
    waited_.store(true);
}

// All of them: one may have nobody to let in. Those that cannot be told stay.
void ConnectionGate::tellWaiters() {
    std::list<Waiting> told;
    {
        const std::lock_guard lock(mutex_);
        if (!waited_.exchange(false)) return;
        told.swap(waiting_);
    }
    for (Waiting& each : told) {
        try {
            each.whenFree();
            each.whenFree = {};
        } catch (const std::bad_alloc&) {
            continue;
        }
    }
    const std::lock_guard lock(mutex_);
    for (auto each = told.begin(); each != told.end();) {
        const auto next = std::next(each);
        auto& place = each->whenFree ? waiting_ : spare_;
        place.splice(place.end(), told, each);
        each = next;
    }
    if (!waiting_.empty()) waited_.store(true);
}

}  // namespace nio
