// Prints the traces of the scripts with these seeds: FROM TO [tight].
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "simulation/differential/Script.h"

int main(int argc, char** argv) {
    const bool tight = argc == 4 && std::strcmp(argv[3], "tight") == 0;
    if (argc != 3 && !tight) return 2;
    const auto buffers = tight ? simulation::Buffers::tight : simulation::Buffers::ample;
    const std::uint64_t from = std::strtoull(argv[1], nullptr, 10);
    const std::uint64_t to = std::strtoull(argv[2], nullptr, 10);
    for (std::uint64_t seed = from; seed <= to; ++seed) {
        std::printf("seed %llu\n", static_cast<unsigned long long>(seed));
        std::fputs(simulation::Script(seed, buffers).run().c_str(), stdout);
    }
}
