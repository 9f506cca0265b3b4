// What a real dispatcher went through, once more on the simulated kernel: the library must call the
// same handlers in the same order, and receive, send and end the same.
//
// Played is what came from outside (see FlightWorld.h). What the program or another dispatcher did
// (drains, moves) is not: the replay ends with the turn before it.
//
// Thread: the one that calls.
#pragma once

#include <string>

#include "simulation/replay/Flight.h"

namespace simulation {

struct Replayed {
    std::size_t turns = 0;
    std::size_t callbacks = 0;
    std::string stopsAt{};     // empty: played to its end
    std::string endsIn{};      // the last event of a turn that was under way; empty: none was
    std::string difference{};  // the first one; empty: none
};

Replayed replay(const Flight& flight);

}  // namespace simulation
