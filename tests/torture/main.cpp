#include <cstdio>
#include <exception>

#include "torture/Runner.h"

int main(int argc, char** argv) {
    int exitCode = 0;
    const auto options = torture::parseOptions(argc, argv, exitCode);
    if (!options) return exitCode;
    try {
        if (options->replays) return torture::Runner::replay(*options) ? 0 : 1;
        return torture::Runner(*options).run();
    } catch (const std::exception& error) {
        std::fprintf(stderr, "nio-torture: %s\n", error.what());
        return 2;
    }
}
