#include <nio/loop/IdleWait.h>

#include <algorithm>
#include <utility>

#include <nio/sys/Backoff.h>

namespace nio {

BusyEdge::BusyEdge(Time most) : most_(std::clamp(most, Time::zero(), longest)), budget_(most_) {}

void BusyEdge::ended(Time idle) {
    const bool looked = budget() > Time::zero();
    edgesAsleep_ = looked ? 0 : edgesAsleep_ + 1;
    if (looked) undisturbed();
    if (isCrowded_) return;
    if (idle <= most_) {
        budget_ = std::min(most_, std::max(budget_ * 2, least()));
    } else {
        budget_ = budget_ / 2 < least() ? Time::zero() : budget_ / 2;
    }
}

// One edge undisturbed proves little: those who want the CPU may only have been waiting themselves.
void BusyEdge::undisturbed() {
    isCrowded_ = false;
    if (++undisturbed_ < edgesPerTrust) return;
    undisturbed_ = 0;
    edgesPerProbe_ = std::max(edgesPerProbe_ / 2, fewestEdgesPerProbe);
}

void BusyEdge::crowded() {
    isCrowded_ = true;
    budget_ = Time::zero();
    edgesAsleep_ = 0;
    undisturbed_ = 0;
    edgesPerProbe_ = std::min(edgesPerProbe_ * 2, mostEdgesPerProbe);
}

IdleWait::Selected IdleWait::select(kernel::WaitTime wait) {
    const bool mayWait = !wait || wait->count() > 0;
    if (!mayWait) return look();
    if (edge_.isOn() && !queue_.hasWork()) return crossEdge(wait);
    return sleep(wait);
}

IdleWait::Selected IdleWait::look() {
    return selector_.select(std::chrono::nanoseconds::zero());
}

IdleWait::Selected IdleWait::sleep(kernel::WaitTime wait) {
    if (!queue_.prepareToSleep()) return look();
    Selected selected = selector_.select(wait);
    queue_.awake();
    return selected;
}

// Where there is always something to do the first look finds it: no edge, and nobody asks the
// clock. An edge that its own time-out cut short did not pay, however short it was.
IdleWait::Selected IdleWait::crossEdge(kernel::WaitTime wait) {
    const std::chrono::nanoseconds budget = edge_.budget();
    if (budget.count() > 0) {
        Selected selected = look();
        if (isOver(selected)) return selected;
    }
    crowded_ = false;
    const TimePoint began = Clock::now();
    if (budget.count() > 0) {
        Selected selected = spinUntil(began + (wait ? std::min(*wait, budget) : budget));
        const std::chrono::nanoseconds spun = Clock::now() - began;
        if (!crowded_) countSpun(spun);
        const bool timeIsUp = wait && spun >= *wait;
        if (isOver(selected) || timeIsUp) {
            edgeEnded(isOver(selected) ? spun : 2 * edge_.most());
            return selected;
        }
        if (wait) *wait -= spun;
    }
    Selected selected = sleep(wait);
    const std::chrono::nanoseconds idle = Clock::now() - began;
    const bool timeIsUp = wait && !isOver(selected);
    edgeEnded(timeIsUp ? std::max(idle, 2 * edge_.most()) : idle);
    return selected;
}

IdleWait::Selected IdleWait::spinUntil(TimePoint end) {
    TimePoint lookedAt = Clock::now();
    while (queueStaysEmpty() && lookedAt < end) {
        kernel::yieldCpu();
        Selected selected = look();
        const TimePoint now = Clock::now();
        crowded_ = now - std::exchange(lookedAt, now) > edge_.most();
        if (crowded_ || isOver(selected)) return selected;
    }
    return std::span<SelectionKey* const>();
}

// Nobody else writes it.
void IdleWait::countSpun(std::chrono::nanoseconds time) {
    const std::int64_t before = spun_.load(std::memory_order_relaxed);
    spun_.store(before + time.count(), std::memory_order_relaxed);
}

void IdleWait::edgeEnded(std::chrono::nanoseconds idle) {
    crowded_ ? edge_.crowded() : edge_.ended(idle);
}

bool IdleWait::isOver(const Selected& selected) const {
    return !selected || !selected.value().empty() || queue_.hasWork();
}

// A look at the sockets is a system call, one at the queue is not: several of these for one of
// those.
bool IdleWait::queueStaysEmpty() const {
    constexpr int looks = 8;
    for (int i = 0; i < looks; ++i) {
        if (queue_.hasWork()) return false;
        relax();
    }
    return true;
}

}  // namespace nio
