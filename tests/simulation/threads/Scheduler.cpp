#include "simulation/threads/Scheduler.h"

#include <unistd.h>

#include <algorithm>
#include <cassert>

namespace simulation {

namespace {

constexpr std::size_t mostSteps = 200'000;
constexpr std::size_t mostQuietJumps = 20'000;
constexpr std::size_t quietStepsBeforeRounds = 8;
// A turn takes time: a dispatcher that spins does not see each nanosecond.
constexpr std::chrono::microseconds shortestJump{1};

Scheduler* currentScheduler = nullptr;
std::uintptr_t currentThread = 0;

// While it lives, what runs here runs on that thread.
class OnThread {
  public:
    explicit OnThread(std::uintptr_t number) : outer_(std::exchange(currentThread, number)) {}
    OnThread(const OnThread&) = delete;
    OnThread& operator=(const OnThread&) = delete;
    ~OnThread() { currentThread = outer_; }

  private:
    const std::uintptr_t outer_;
};

}  // namespace

Scheduler::Scheduler(Machine& machine, const Options& options)
    : machine_(machine), options_(options), random_(options.seed ^ 0x7e4d) {
    assert(currentScheduler == nullptr);
    currentScheduler = this;
    machine.setWhileAsleep([this](int epoll) { whileAsleep(epoll); });
}

Scheduler::~Scheduler() {
    machine_.setWhileAsleep({});
    currentScheduler = nullptr;
}

Scheduler* Scheduler::current() {
    return currentScheduler;
}

std::uintptr_t Scheduler::threadNumber() {
    return currentThread;
}

void Scheduler::giveUp(const std::string& why) {
    std::string text = machine_.journal().hasFailed() ? machine_.journal().failure() : why;
    std::printf("seed=%llu steps=%zu faults=%zu: %s\n",
                static_cast<unsigned long long>(options_.seed), steps_,
                machine_.faults().struck().size(), text.c_str());
    for (const Part& part : actors_) std::printf("  %s\n", part.actor->toString().c_str());
    const auto& struck = machine_.faults().struck();
    for (std::size_t i = 0; i < std::min<std::size_t>(struck.size(), 20); ++i) {
        std::printf("  fault %zu: %s in step %zu\n", struck[i].number, nameOf(struck[i].fault),
                    struck[i].step);
    }
    std::fflush(stdout);
    ::_exit(1);
}

// --- threads --------------------------------------------------------------------------------

Scheduler::Entry* Scheduler::find(const nio::SelectorThread& thread) {
    const auto found = std::find_if(entries_.begin(), entries_.end(),
                                    [&](const Entry& entry) { return entry.thread == &thread; });
    return found == entries_.end() ? nullptr : &*found;
}

bool Scheduler::isBusy(const nio::SelectorThread& thread) const {
    return std::any_of(turning_.begin(), turning_.end(),
                       [&](const Entry* entry) { return entry->thread == &thread; });
}

// After its first turn it is running, as one that was started is.
void Scheduler::start(nio::SelectorThread& thread) {
    entries_.push_back({&thread, ++numbers_});
    turn(entries_.back());
}

void Scheduler::forget(nio::SelectorThread& thread) {
    std::erase_if(entries_, [&](const Entry& entry) { return entry.thread == &thread; });
}

void Scheduler::run(nio::SelectorThread& thread) {
    start(thread);
    join(thread);
}

void Scheduler::join(nio::SelectorThread& thread) {
    if (find(thread) != nullptr) stepUntil([&thread] { return thread.isStopped(); });
}

// What was posted after its last wait began would have ended that: the wait is over already here.
bool Scheduler::isAwake(const Entry& entry) const {
    if (entry.busy || entry.thread->isStopped()) return false;
    return !entry.epoll || entry.thread->queue()->size() > 0 || !machine_.isAsleep(*entry.epoll);
}

void Scheduler::turn(Entry& entry) {
    if (entry.busy || entry.thread->isStopped()) return;
    const OnThread here(entry.number);
    nio::kernel::WaitTime wait;
    if (random_.chance(200)) wait = std::chrono::milliseconds(random_.below(3) * 10);
    machine_.journal().note("turn", entry.number);
    (void)machine_.takeLastWaited();
    entry.busy = true;
    turning_.push_back(&entry);
    const bool goesOn = entry.thread->turn(wait);
    turning_.pop_back();
    entry.busy = false;
    if (!goesOn) machine_.countProgress();
    if (const auto waited = machine_.takeLastWaited()) entry.epoll = waited;
}

Scheduler::Entry* Scheduler::anyEntry() {
    if (entries_.empty()) return nullptr;
    return &*std::next(entries_.begin(),
                       static_cast<std::ptrdiff_t>(random_.below(entries_.size())));
}

// --- steps ----------------------------------------------------------------------------------

void Scheduler::stepUntil(const std::function<bool()>& over) {
    while (!over()) step();
}

void Scheduler::step() {
    ++steps_;
    machine_.faults().setStep(steps_);
    if (steps_ == options_.calmAt) machine_.faults().stop();
    if (machine_.journal().hasFailed()) giveUp({});
    if (steps_ >= mostSteps) giveUp("no end");
    if (beforeStep_) beforeStep_();
    act();
    const bool progressed = std::exchange(seenProgress_, machine_.progress()) != seenProgress_;
    if (progressed) quietJumps_ = 0;
    quietSteps_ = progressed ? 0 : quietSteps_ + 1;
    if (quietSteps_ >= quietStepsBeforeRounds) settle();
}

void Scheduler::act() {
    if (!random_.chance(500)) return foreignStep();
    Entry* entry = anyEntry();
    if (entry == nullptr) return;
    const bool wakesUp = random_.chance(options_.wakeUpsForNothingPerMille);
    if (wakesUp || isAwake(*entry)) turn(*entry);
}

void Scheduler::step(Part& part, bool eager) {
    if (part.actor->blocks() && !turning_.empty()) return;
    if (std::exchange(part.busy, true)) return;
    const OnThread outside(UINTPTR_MAX);
    part.actor->step(eager);
    part.busy = false;
}

void Scheduler::foreignStep() {
    if (!machine_.connections().empty() && random_.chance(450)) {
        (void)machine_.deliverSome();
        return;
    }
    if (random_.chance(5)) {
        return machine_.advanceTo(machine_.now() + std::chrono::microseconds(random_.below(2000)));
    }
    if (actors_.empty()) return;
    step(*std::next(actors_.begin(), static_cast<std::ptrdiff_t>(random_.below(actors_.size()))),
         false);
}

bool Scheduler::fairRound() {
    const std::uint64_t before = machine_.progress();
    // A turn may start and end dispatchers: one look at a time.
    std::vector<nio::SelectorThread*> threads;
    for (const Entry& entry : entries_) threads.push_back(entry.thread);
    for (const nio::SelectorThread* thread : threads) {
        Entry* entry = find(*thread);
        if (entry != nullptr && isAwake(*entry)) turn(*entry);
    }
    for (Part& part : actors_) step(part, true);
    if (!machine_.connections().empty()) (void)machine_.deliverSome();
    return machine_.progress() != before;
}

// Time passes only when nobody can go on without it: who is slow has no excuse then.
void Scheduler::settle() {
    quietSteps_ = 0;
    const int rounds = machine_.faults().areStopped() ? 4 : 12;
    for (int i = 0; i < rounds; ++i) {
        if (machine_.journal().hasFailed() || fairRound()) return;
    }
    letTimePass();
}

void Scheduler::letTimePass() {
    std::optional<nio::TimePoint> next = machine_.nextWake();
    for (const Part& part : actors_) {
        const auto wakes = part.actor->wakesAt();
        if (!wakes || *wakes <= machine_.now()) continue;
        next = next ? std::min(*next, *wakes) : *wakes;
    }
    const bool someoneIsAwake = std::any_of(entries_.begin(), entries_.end(),
                                            [this](const Entry& entry) { return isAwake(entry); });
    const bool canWait = next || someoneIsAwake || !machine_.faults().areStopped();
    if (!canWait || ++quietJumps_ > mostQuietJumps) giveUp("stuck");
    if (!next) return;
    machine_.advanceTo(std::max(*next, machine_.now() + shortestJump));
    machine_.journal().note("time");
    strikeClock();
}

void Scheduler::strikeClock() {
    using std::chrono::milliseconds;
    Faults& faults = machine_.faults();
    if (faults.strikes(Fault::lateWakeUp)) {
        machine_.advanceTo(machine_.now() + milliseconds(faults.amount(10)));
    }
    if (!faults.strikes(Fault::clockStep)) return;
    clockHasJumped_ = true;
    machine_.advanceTo(machine_.now() + milliseconds(faults.amount(60'000)));
    for (const auto& connection : machine_.connections()) connection->excuse("the clock jumped");
}

// A dispatcher that sleeps must have been woken if it has work.
void Scheduler::whileAsleep(int epoll) {
    if (turning_.empty() || !random_.chance(options_.stepsWhileAsleepPerMille)) return;
    const Entry& sleeper = *turning_.back();
    for (std::size_t left = random_.between(1, 4); left > 0; --left) foreignStep();
    if (sleeper.thread->queue()->size() > 0 && !machine_.hasSignalFor(epoll)) {
        machine_.journal().fail("a task waits for a dispatcher that sleeps");
    }
}

}  // namespace simulation
