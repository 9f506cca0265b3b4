#include "simulation/Simulation.h"

#include <nio/base/Log.h>

namespace simulation {

namespace {

constexpr std::size_t mostSteps = 200'000;
constexpr std::size_t mostQuietJumps = 1000;
constexpr std::chrono::seconds mostQuietTime{10};  // longer than any time-out of a scenario
// A turn may be one that was told not to sleep: all of a dispatcher's last ones, by chance.
constexpr std::size_t mostDoubts = 4;
constexpr std::size_t quietStepsBeforeRounds = 8;

}  // namespace

Outcome Simulation::run(std::uint64_t seed, const std::optional<FaultSet>& only, bool prints) {
    nio::setLogger([prints](nio::LogLevel, std::string_view line) {
        if (prints) std::fprintf(stderr, "log: %.*s\n", static_cast<int>(line.size()), line.data());
    });
    Simulation simulation(seed, only, prints);
    return simulation.runToEnd();
}

Simulation::Simulation(std::uint64_t seed, const std::optional<FaultSet>& only, bool prints)
    : scenario_(Scenario::drawn(seed)),
      journal_(prints),
      faults_(seed ^ 0x5eed, only),
      machine_(seed ^ 0xc0de, scenario_.limits, faults_, journal_),
      random_(seed ^ 0xd1ce),
      world_(scenario_, machine_) {
    for (std::size_t kind = 0; kind < faultKinds; ++kind) {
        faults_.setRate(static_cast<Fault>(kind), scenario_.faultsPerMille[kind]);
    }
    for (std::size_t i = 0; i < scenario_.peers; ++i) {
        peers_.emplace_back(i, scenario_, world_.server(), machine_);
    }
    machine_.setWhileAsleep([this](int epoll) { whileAsleep(epoll); });
    machine_.setWhilePaused([this](std::chrono::nanoseconds time) {
        world_.checkPause(time);
        for (std::size_t left = random_.below(5); left > 0; --left) foreignStep();
    });
}

Outcome Simulation::runToEnd() {
    while (goesOn()) step();
    if (!journal_.hasFailed() && steps_ >= mostSteps) journal_.fail("no end: " + whatHangs());
    if (!journal_.hasFailed()) {
        machine_.setWhileAsleep({});
        machine_.setWhilePaused({});
        world_.checkEnd();
    }
    return {journal_.failure(), faults_.struck(), journal_.fingerprint(), steps_};
}

// To the last byte that is under way: the peers are to see their end, too.
bool Simulation::goesOn() const {
    if (journal_.hasFailed() || steps_ >= mostSteps) return false;
    if (!world_.isStopped()) return true;
    for (const Peer& peer : peers_) {
        if (!peer.isDone() && !peer.staysForEver()) return true;
    }
    return false;
}

// --- the scheduler --------------------------------------------------------------------------

void Simulation::step() {
    ++steps_;
    faults_.setStep(steps_);
    if (steps_ == scenario_.calmAt) faults_.stop();
    drainIfDue();
    act();
    const bool progressed = std::exchange(seenProgress_, machine_.progress()) != seenProgress_;
    if (progressed) {
        quietJumps_ = doubts_ = 0;
        quietSince_ = machine_.now();
    }
    quietSteps_ = progressed ? 0 : quietSteps_ + 1;
    if (quietSteps_ >= quietStepsBeforeRounds) settle();
}

void Simulation::act() {
    if (!random_.chance(500)) return foreignStep();
    const std::size_t dispatcher = random_.below(world_.size());
    const bool wakesUp = random_.chance(scenario_.wakeUpsForNothingPerMille);
    if (wakesUp || world_.isAwake(dispatcher)) world_.turn(dispatcher);
}

// What is not done by the dispatchers: also while one of them sleeps.
void Simulation::foreignStep() {
    if (random_.chance(scenario_.postsPerMille)) return static_cast<void>(world_.post());
    if (random_.chance(scenario_.movesPerMille)) return static_cast<void>(world_.move());
    if (random_.chance(450)) return static_cast<void>(networkStep());
    if (!world_.isDraining() && random_.chance(10)) {
        return machine_.advanceTo(machine_.now() + std::chrono::microseconds(random_.below(2000)));
    }
    peers_[random_.below(peers_.size())].step();
}

bool Simulation::networkStep() {
    return !machine_.connections().empty() && machine_.deliverSome();
}

bool Simulation::fairRound() {
    const std::uint64_t before = machine_.progress();
    for (std::size_t i = 0; i < world_.size(); ++i) {
        if (world_.isAwake(i)) world_.turn(i);
    }
    for (Peer& peer : peers_) peer.step(true);
    (void)networkStep();
    return machine_.progress() != before;
}

// Time passes only when nobody can go on without it: who is slow has no excuse then.
void Simulation::settle() {
    quietSteps_ = 0;
    const int rounds = faults_.areStopped() ? 4 : 12;
    for (int i = 0; i < rounds; ++i) {
        if (journal_.hasFailed() || fairRound()) return;
    }
    letTimePass();
}

void Simulation::letTimePass() {
    std::optional<nio::TimePoint> next = machine_.nextWake();
    for (const Peer& peer : peers_) {
        const auto wakes = peer.wakesAt();
        if (peer.isDone() || !wakes || *wakes <= machine_.now()) continue;
        next = next ? std::min(*next, *wakes) : *wakes;
    }
    const bool canWait = next.has_value() || !faults_.areStopped() || world_.someoneIsAwake();
    if (!canWait || (++quietJumps_ > mostQuietJumps && hasBeenQuiet())) return stuck();
    if (!next) return;
    machine_.advanceTo(*next);
    journal_.note("time");
    strikeClock();
}

// Jumps may be as short as an acceptor's back-off.
bool Simulation::hasBeenQuiet() const {
    return machine_.now() - quietSince_ > mostQuietTime;
}

// Peers that stay may hold all the places: then it is time to stop, too.
void Simulation::stuck() {
    bool someoneStays = false;
    for (const Peer& peer : peers_) someoneStays = someoneStays || peer.waitsForEver();
    if (world_.isDraining() || !someoneStays) {
        if (++doubts_ > mostDoubts) journal_.fail("stuck: " + whatHangs());
        return;
    }
    quietJumps_ = 0;
    world_.requestDrain();
}

void Simulation::strikeClock() {
    using std::chrono::milliseconds;
    if (faults_.strikes(Fault::lateWakeUp)) {
        machine_.advanceTo(machine_.now() + milliseconds(faults_.amount(10)));
    }
    if (!faults_.strikes(Fault::clockStep)) return;
    const milliseconds step(faults_.amount(60'000));
    machine_.advanceTo(machine_.now() + step);
    quietSince_ += step;  // nobody makes up for time in which nobody ran
    for (const auto& connection : machine_.connections()) connection->excuse("the clock jumped");
}

void Simulation::drainIfDue() {
    if (world_.isDraining()) return;
    bool allDone = true;
    for (const Peer& peer : peers_) allDone = allDone && (peer.isDone() || peer.waitsForEver());
    if (allDone || steps_ >= scenario_.drainAt) world_.requestDrain();
}

void Simulation::whileAsleep(int epoll) {
    if (!random_.chance(scenario_.stepsWhileAsleepPerMille)) return;
    for (std::size_t left = random_.between(1, 4); left > 0; --left) foreignStep();
    world_.checkWakeUp(epoll);
}

std::string Simulation::whatHangs() const {
    std::string text = world_.isStopped() ? "the server has stopped" : "the server goes on";
    for (const Peer& peer : peers_) {
        if (!peer.isDone()) text += "; " + peer.toString();
    }
    return text;
}

}  // namespace simulation
