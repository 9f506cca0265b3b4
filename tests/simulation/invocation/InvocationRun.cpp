// Simulation::run of nio-invocation-simulation: dispatchers that ask things of each other, and are
// asked by other threads and by timers. The wait inside invokeAndWait makes the others' steps.
#include <nio/base/Log.h>

#include "simulation/Simulation.h"
#include "simulation/invocation/Invocations.h"

namespace simulation {

namespace {

class Outsider final : public Actor {
  public:
    Outsider(std::size_t number, Invocations& invocations)
        : number_(number), invocations_(invocations) {}

    void step(bool) override { invocations_.operate(number_); }
    bool blocks() const override { return true; }
    std::string toString() const override { return "thread " + std::to_string(number_); }

  private:
    const std::size_t number_;
    Invocations& invocations_;
};

Invocations::Limits drawLimits(std::uint64_t seed) {
    Random random(seed ^ 0x4a11);
    Invocations::Limits limits;
    limits.dispatchers = random.between(1, 4);
    if (random.chance(300)) limits.maxQueuedTasks = random.between(1, 8);
    if (random.chance(300)) limits.maxTasksPerTurn = random.between(1, 4);
    limits.operations = 1 + random.anySize(250);
    return limits;
}

void setRates(Faults& faults, std::uint64_t seed) {
    Random random(seed ^ 0xfa017);
    for (const Fault fault : {Fault::interruptedWait, Fault::lateWakeUp, Fault::clockStep}) {
        if (random.chance(300))
            faults.setRate(fault, static_cast<unsigned>(random.between(1, 200)));
    }
}

}  // namespace

const char* const Simulation::subject =
    "invokeLater, invokeAndWait and timers between dispatchers and other threads, simulated";

Outcome Simulation::run(std::uint64_t seed, const std::optional<FaultSet>& only, bool prints) {
    nio::setLogger([](nio::LogLevel, std::string_view) {});
    Journal journal(prints);
    Faults faults(seed ^ 0x5eed, only);
    setRates(faults, seed);
    Machine machine(seed ^ 0xc0de, {}, faults, journal);
    Scheduler scheduler(machine, {seed, 2000, 300, 100});
    Invocations invocations(seed, drawLimits(seed), scheduler);
    std::list<Outsider> outsiders;
    for (std::size_t i = 0; i < 3; ++i) scheduler.add(outsiders.emplace_back(i, invocations));
    scheduler.stepUntil([&] { return invocations.isSettled(); });
    invocations.closeAll();
    scheduler.stepUntil([&] { return invocations.isOver(); });
    invocations.check();
    return {journal.failure(), faults.struck(), journal.fingerprint(), scheduler.steps()};
}

}  // namespace simulation
