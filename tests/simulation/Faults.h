// What the simulated kernel does that a real one does rarely. Each fault that strikes has a number,
// counted from 1 in each run: a run can be repeated with some of them only.
//
// Thread: the one of the run.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "simulation/Random.h"

namespace simulation {

enum class Fault : std::uint8_t {
    shortReceive,
    shortSend,
    receiveBlocks,    // readable, and yet there is nothing
    sendBlocks,       // writable, and yet there is no room
    receiveFails,     // ETIMEDOUT
    sendFails,        // ENOBUFS
    spuriousEvent,    // of a descriptor that is not ready
    withheldEvent,    // of one that is; it comes with a later wait
    interruptedWait,  // EINTR
    noDescriptor,     // accept: EMFILE
    noBuffer,         // accept: ENOBUFS
    noReserve,        // the descriptor kept in reserve cannot be opened again
    watchFails,       // epoll_ctl add: ENOSPC
    rearmFails,       // epoll_ctl modify: ENOMEM
    noDelayFails,
    lateWakeUp,     // a wait ends long after its time
    clockStep,      // everybody sleeps for a while (a laptop is closed)
    ringTakesLess,  // io_uring_enter: EAGAIN, or not all that was queued
    otherThread,    // io_uring_enter: EEXIST, another one makes the turns from now on
};
constexpr std::size_t faultKinds = static_cast<std::size_t>(Fault::otherThread) + 1;

const char* nameOf(Fault fault);

using FaultRates = std::array<unsigned, faultKinds>;  // each per mille

struct FaultDraw {
    unsigned none;          // per mille of the runs that have no faults
    unsigned most;          // the highest rate of a fault, per mille
    unsigned mostBreaking;  // the same of one that ends connections, or time
};

// The rates of a run: most have few kinds of faults, some have none, some have all of the first
// `kinds`.
void drawFaults(Random& random, FaultRates& rates, const FaultDraw& draw,
                std::size_t kinds = faultKinds);

using FaultSet = std::set<std::size_t>;

class Faults {
  public:
    struct Struck {
        std::size_t number;
        Fault fault;
        std::size_t step;
    };

    // `only`: the numbers of those that may strike; absent: all.
    Faults(std::uint64_t seed, std::optional<FaultSet> only)
        : seed_(seed), random_(seed), only_(std::move(only)) {}

    void setRate(Fault fault, unsigned perMille) { rates_[index(fault)] = perMille; }
    bool strikes(Fault fault);
    // From now on each run counts there, too, what strikes in it: a process that crashes leaves it.
    static void countIn(std::size_t& place) { place_ = &place; }
    // From now on there are none.
    void stop() { stopped_ = true; }
    bool areStopped() const { return stopped_; }
    void setStep(std::size_t step) { step_ = step; }
    // Of the last one that struck: 1 to `most`. It does not depend on which others strike.
    std::size_t amount(std::size_t most) const { return Random(seed_ + count_).between(1, most); }
    const std::vector<Struck>& struck() const { return struck_; }

  private:
    static inline std::size_t* place_ = nullptr;

    static std::size_t index(Fault fault) { return static_cast<std::size_t>(fault); }

    const std::uint64_t seed_;
    Random random_;
    const std::optional<FaultSet> only_;
    FaultRates rates_{};
    std::vector<Struck> struck_;
    std::size_t count_ = 0;
    std::size_t step_ = 0;
    bool stopped_ = false;
};

}  // namespace simulation
