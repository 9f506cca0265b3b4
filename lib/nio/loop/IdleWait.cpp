#include <nio/loop/IdleWait.h>

#include <algorithm>
#include <utility>

#include <nio/channel/ChannelIo.h>
#include <nio/sys/Backoff.h>

namespace nio {

WaitPolicy::WaitPolicy(Time spin, Time moderation)
    : mostSpin_(std::clamp(spin, Time::zero(), longestSpin)),
      spin_(mostSpin_),
      moderation_(std::clamp(moderation, Time::zero(), longestModeration)) {}

// --- busy-polling ---------------------------------------------------------------------------

void WaitPolicy::idled(Time idle) {
    const bool looked = spin() > Time::zero();
    asleep_ = looked ? 0 : asleep_ + 1;
    if (looked) undisturbed();
    if (isCrowded_) return;
    if (idle <= mostSpin_) {
        spin_ = std::min(mostSpin_, std::max(spin_ * 2, leastSpin()));
    } else {
        spin_ = spin_ / 2 < leastSpin() ? Time::zero() : spin_ / 2;
    }
}

// One edge undisturbed proves little: those who want the CPU may only have been waiting themselves.
void WaitPolicy::undisturbed() {
    isCrowded_ = false;
    if (++undisturbed_ < edgesPerTrust) return;
    undisturbed_ = 0;
    edgesPerProbe_ = std::max(edgesPerProbe_ / 2, fewestEdgesPerProbe);
}

void WaitPolicy::crowded() {
    isCrowded_ = true;
    spin_ = Time::zero();
    asleep_ = 0;
    undisturbed_ = 0;
    edgesPerProbe_ = std::min(edgesPerProbe_ * 2, mostEdgesPerProbe);
}

// --- moderation -----------------------------------------------------------------------------

// A turn that took most of the time has let enough arrive: under full load there is no pause.
WaitPolicy::Time WaitPolicy::pause(Time since) const {
    const bool worthIt = gathers_ && since < moderation_ * 3 / 4;
    return worthIt ? moderation_ - std::max(since, Time::zero()) : Time::zero();
}

void WaitPolicy::selected(Time took, const Done& done) {
    time_ += took;
    ++turns_;
    const Done before = std::exchange(done_, done);
    bytes_ += done.bytes - before.bytes;
    others_ += done.tasks - before.tasks;
    if (done.bytes == before.bytes) {
        ++turnsWithoutBytes_;
        others_ += done.keys - before.keys;
    }
    if (time_ < pausesPerRound * moderation_) return;
    const auto time = static_cast<double>(time_.count());
    const Rates rates{static_cast<double>(bytes_) / time, static_cast<double>(others_) / time};
    gathers_ ? gatheringRoundEnded(rates) : freeRoundEnded(rates);
    time_ = Time::zero();
    turns_ = turnsWithoutBytes_ = 0;
    bytes_ = others_ = 0;
}

// Where bytes come in most turns the others fall by themselves: what is gathered needs fewer tasks.
void WaitPolicy::freeRoundEnded(const Rates& rates) {
    usual_ = rates;
    if (2 * turnsWithoutBytes_ <= turns_) usual_.others = 0;
    rounds_ = 0;
    if (rest_ > 0) {
        --rest_;
        return;
    }
    gathers_ = turns_ * moderation_ >= turnsPerPause * time_;
}

void WaitPolicy::gatheringRoundEnded(const Rates& rates) {
    const bool isTrial = rounds_ == 0;
    const bool slowsPeersDown = isTrial && isBelow(2.0 / 3, rates);
    if (slowsPeersDown) {
        rest_ = nextRest_;
        nextRest_ = std::min(2 * nextRest_, mostRest);
    } else if (isTrial) {
        nextRest_ = 1;
    }
    gathers_ = !slowsPeersDown && !isBelow(0.5, rates) && ++rounds_ < roundsOfGathering;
}

bool WaitPolicy::isBelow(double share, const Rates& rates) const {
    return rates.bytes < share * usual_.bytes || rates.others < share * usual_.others;
}

// --- the waits -------------------------------------------------------------------------------

IdleWait::Selected IdleWait::select(kernel::WaitTime wait) {
    return policy_.moderates() ? selectModerated(wait) : selectOrSpin(wait);
}

IdleWait::Selected IdleWait::selectOrSpin(kernel::WaitTime wait) {
    if (!mayWait(wait)) return look();
    if (policy_.spins() && !queue_.hasWork()) return crossEdge(wait);
    return sleep(wait);
}

IdleWait::Selected IdleWait::selectModerated(kernel::WaitTime wait) {
    if (policy_.gathers() && mayWait(wait) && !queue_.hasWork()) gather(wait);
    Selected selected = selectOrSpin(wait);
    const TimePoint now = Clock::now();
    policy_.selected(now - std::exchange(selectedAt_, now),
                     {selector_.io().counters().bytesIn.read(), queue_.tasksRun(), keys_});
    if (selected) keys_ += selected.value().size();  // served before the next select
    return selected;
}

// It counts as awake: a task that is posted meanwhile costs no system call, and is gathered too.
void IdleWait::gather(kernel::WaitTime& wait) {
    const std::chrono::nanoseconds whole = policy_.pause(Clock::now() - selectedAt_);
    const std::chrono::nanoseconds pause = wait ? std::min(*wait, whole) : whole;
    if (pause.count() == 0) return;
    (void)selector_.handOver().ok();  // an error is the next select's
    kernel::sleepFor(pause);
    if (wait) *wait -= pause;
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
    const std::chrono::nanoseconds budget = policy_.spin();
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
            edgeEnded(isOver(selected) ? spun : 2 * policy_.mostSpin());
            return selected;
        }
        if (wait) *wait -= spun;
    }
    Selected selected = sleep(wait);
    const std::chrono::nanoseconds idle = Clock::now() - began;
    const bool timeIsUp = wait && !isOver(selected);
    edgeEnded(timeIsUp ? std::max(idle, 2 * policy_.mostSpin()) : idle);
    return selected;
}

IdleWait::Selected IdleWait::spinUntil(TimePoint end) {
    TimePoint lookedAt = Clock::now();
    while (queueStaysEmpty() && lookedAt < end) {
        kernel::yieldCpu();
        Selected selected = look();
        const TimePoint now = Clock::now();
        crowded_ = now - std::exchange(lookedAt, now) > policy_.mostSpin();
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
    crowded_ ? policy_.crowded() : policy_.idled(idle);
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
