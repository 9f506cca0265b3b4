// Prints the traces of the scripts with these seeds.
#include <cstdio>

#include "simulation/Arguments.h"
#include "simulation/differential/Script.h"

namespace {

std::string usage() {
    return std::string("usage: ") + program_invocation_short_name + " FROM TO [tight]";
}

struct Wanted {
    std::uint64_t from;
    std::uint64_t to;
    simulation::Buffers buffers;
};

Wanted read(simulation::Arguments arguments) {
    if (arguments.left() < 2 || arguments.left() > 3) {
        throw simulation::Mistake(usage());
    }
    const std::uint64_t from = simulation::toNumber("FROM", arguments.next(), 0, UINT64_MAX);
    const std::uint64_t to = simulation::toNumber("TO", arguments.next(), from, UINT64_MAX);
    if (arguments.left() == 0) return {from, to, simulation::Buffers::ample};
    const std::string word = arguments.next();
    if (word != "tight") throw simulation::unknown(word);
    return {from, to, simulation::Buffers::tight};
}

void print(std::uint64_t seed, simulation::Buffers buffers) {
    std::printf("seed %llu\n", static_cast<unsigned long long>(seed));
    std::fputs(simulation::Script(seed, buffers).run().c_str(), stdout);
}

}  // namespace

int main(int argc, char** argv) {
    const simulation::Arguments arguments(argc, argv);
    if (arguments.askForHelp()) return std::puts(usage().c_str()) < 0 ? 2 : 0;
    try {
        const Wanted wanted = read(arguments);
        for (std::uint64_t seed = wanted.from; seed != wanted.to; ++seed) {
            print(seed, wanted.buffers);
        }
        print(wanted.to, wanted.buffers);
    } catch (const std::exception& error) {
        return simulation::say(error);
    }
}
