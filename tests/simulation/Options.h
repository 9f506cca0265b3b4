// The command line of the simulations.
//
// Thread: a value.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "simulation/Faults.h"

namespace simulation {

struct Options {
    std::uint64_t from = 1;
    std::uint64_t to = 1000;
    std::optional<unsigned> seconds;  // goes on from `from` for so long
    bool replays = false;             // one seed, in this process
    std::optional<FaultSet> faults;
    bool prints = false;
    bool keepsGoing = false;
    bool shrinks = true;
};

// Absent: exit with `exitCode`.
std::optional<Options> parseOptions(int argc, char** argv, int& exitCode);

// "1-3,7", "none".
std::string toString(const FaultSet& faults);

}  // namespace simulation
