// One run: a scenario, its faults, and the scheduler that draws what happens next until all is
// over, or a promise is broken.
//
// Thread: the one that calls.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "simulation/EchoWorld.h"

namespace simulation {

struct Outcome {
    std::string failure;  // empty: none
    std::vector<Faults::Struck> struck;
    std::uint64_t fingerprint = 0;
    std::size_t steps = 0;
};

class Simulation {
  public:
    // What is simulated, for --help: each program has its own.
    static const char* const subject;

    // `only`: the faults that may strike, by number; absent: all.
    static Outcome run(std::uint64_t seed, const std::optional<FaultSet>& only, bool prints);

  private:
    Simulation(std::uint64_t seed, const std::optional<FaultSet>& only, bool prints);
    Outcome runToEnd();

    bool goesOn() const;
    void step();
    void act();
    void foreignStep();
    bool networkStep();
    // Everybody gets a turn. False: nobody had anything to do.
    bool fairRound();
    void settle();
    void letTimePass();
    bool hasBeenQuiet() const;
    void stuck();
    void drainIfDue();
    void whileAsleep(int epoll);
    void strikeClock();
    std::string whatHangs() const;

    const Scenario scenario_;
    Journal journal_;
    Faults faults_;
    Machine machine_;
    Random random_;
    EchoWorld world_;
    std::vector<Peer> peers_;
    std::size_t steps_ = 0;
    std::size_t quietSteps_ = 0;
    std::size_t quietJumps_ = 0;
    nio::TimePoint quietSince_{};
    std::size_t doubts_ = 0;
    std::uint64_t seenProgress_ = 0;
};

}  // namespace simulation
