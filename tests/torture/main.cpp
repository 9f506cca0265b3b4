#include <exception>

#include "simulation/Arguments.h"
#include "torture/Runner.h"

int main(int argc, char** argv) {
    int exitCode = 0;
    const auto options = torture::parseOptions(argc, argv, exitCode);
    if (!options) return exitCode;
    try {
        if (options->replays) return torture::Runner::replay(*options);
        return torture::Runner(*options).run();
    } catch (const std::exception& error) {
        return simulation::say(error);
    }
}
