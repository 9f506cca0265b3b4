// flight-replay FILE: plays what FlightDump has written once more on the simulated kernel.
// Exit code: 0 the library did the same, 1 it did not, 2 there is no such flight.
#include <cstdio>
#include <exception>
#include <fstream>

#include "simulation/replay/FlightReplay.h"

namespace {

constexpr const char* handler = "RawEcho";

void print(const simulation::Flight& flight, const simulation::Replayed& replayed) {
    const bool same = replayed.difference.empty();
    std::printf("dispatcher %s: %zu connections, %zu turns, %zu callbacks: %s\n",
                flight.dispatcher.c_str(), flight.connections, replayed.turns, replayed.callbacks,
                same ? "the same" : "not the same");
    if (!same) std::printf("  %s\n", replayed.difference.c_str());
    if (!replayed.stopsAt.empty()) {
        std::printf("  not played from here on: %s\n", replayed.stopsAt.c_str());
    }
    if (flight.leftOut > 0) {
        std::printf("  left out: %zu connections with output from before\n", flight.leftOut);
    }
}

int replayAll(std::istream& dump) {
    bool same = true;
    std::size_t turns = 0;
    for (const simulation::Flight& flight : simulation::readFlights(dump, handler)) {
        if (flight.connections == 0) continue;
        const simulation::Replayed replayed = simulation::replay(flight);
        print(flight, replayed);
        same = same && replayed.difference.empty();
        turns += replayed.turns;
    }
    if (turns == 0 && same) std::printf("no whole turn with a connection of echo-server in it\n");
    return !same ? 1 : turns == 0 ? 2 : 0;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 2) {
        std::fprintf(stderr, "usage: flight-replay FILE\n");
        return 2;
    }
    try {
        std::ifstream dump(argv[1]);
        return replayAll(dump);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "flight-replay: %s: %s\n", argv[1], error.what());
        return 2;
    }
}
