// Prints the traces of the scripts with these seeds: FROM TO.
#include <cstdio>
#include <cstdlib>

#include "simulation/differential/Script.h"

int main(int argc, char** argv) {
    if (argc != 3) return 2;
    const std::uint64_t from = std::strtoull(argv[1], nullptr, 10);
    const std::uint64_t to = std::strtoull(argv[2], nullptr, 10);
    for (std::uint64_t seed = from; seed <= to; ++seed) {
        std::printf("seed %llu\n", static_cast<unsigned long long>(seed));
        std::fputs(simulation::Script(seed).run().c_str(), stdout);
    }
}
