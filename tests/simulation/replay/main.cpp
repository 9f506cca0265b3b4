// flight-replay FILE: plays what FlightDump has written once more on the simulated kernel.
// Exit code: 0 the library did the same, 1 it did not, 2 there is nothing to play.
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <fstream>

#include "simulation/Arguments.h"
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
    if (!replayed.endsIn.empty()) {
        std::printf("  its last turn as far as it went: %s\n", replayed.endsIn.c_str());
    }
    if (flight.leftOut > 0) {
        std::printf("  left out: %zu connections with output from before\n", flight.leftOut);
    }
}

std::runtime_error nothingToReplay(const std::vector<simulation::Flight>& flights) {
    for (const simulation::Flight& flight : flights) {
        if (!flight.hasPackets) continue;
        return std::runtime_error(
            "only --framing raw can be replayed, and this server had another");
    }
    return std::runtime_error("no turn with a connection of echo-server in it");
}

int replayAll(std::istream& dump) {
    bool same = true;
    std::size_t turns = 0;
    const std::vector<simulation::Flight> flights = simulation::readFlights(dump, handler);
    for (const simulation::Flight& flight : flights) {
        if (flight.connections == 0) continue;
        const simulation::Replayed replayed = simulation::replay(flight);
        print(flight, replayed);
        same = same && replayed.difference.empty();
        turns += replayed.turns;
    }
    if (turns == 0 && same) throw nothingToReplay(flights);
    return same ? 0 : 1;
}

// What cannot be opened and what cannot be read (a folder) both end here.
int replayFile(const char* path) {
    std::ifstream dump(path);
    dump.peek();
    if (!dump.is_open() || dump.bad()) {
        throw std::runtime_error(std::string("cannot be read: ") + std::strerror(errno));
    }
    return replayAll(dump);
}

constexpr const char* help =
    "usage: flight-replay FILE\n\n"
    "FILE is what an echo-server with --framing raw has written to its --flight-file. The library\n"
    "must do the same once more, on a simulated kernel.\n\n"
    "Exit code: 0 it did, 1 it did not, 2 the file has nothing that can be replayed.\n";

}  // namespace

int main(int argc, char** argv) {
    if (simulation::Arguments(argc, argv).askForHelp()) return std::fputs(help, stdout) < 0 ? 2 : 0;
    if (argc != 2) return simulation::say(simulation::Mistake("one FILE is needed; see --help"));
    try {
        return replayFile(argv[1]);
    } catch (const std::exception& error) {
        return simulation::say(std::runtime_error(argv[1] + (": " + std::string(error.what()))));
    }
}
