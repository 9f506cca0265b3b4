#include <exception>

#include "simulation/Arguments.h"
#include "simulation/Runner.h"

int main(int argc, char** argv) {
    int exitCode = 0;
    const auto options = simulation::parseOptions(argc, argv, exitCode);
    if (!options) return exitCode;
    try {
        using simulation::Runner;
        if (!options->replays) return Runner(*options).run();
        return Runner::replay(options->from, options->faults, options->prints) ? 0 : 1;
    } catch (const std::exception& error) {
        return simulation::say(error);
    }
}
