#include "simulation/Scenario.h"
#include "simulation/Simulation.h"

namespace simulation {

const char* const Simulation::subject =
    "dispatchers with the handlers of echo-server, on a simulated io_uring";

// Few buffers, so that they run out; more moves, since an engine that has operations under way lets
// nobody go at once.
void Scenario::drawEngine() {
    Random random(seed ^ 0x10a6);
    selector.kind = nio::SelectorKind::uring;
    selector.maxReceiveBuffers = std::size_t{1} << random.below(6);
    if (random.chance(300)) movesPerMille = static_cast<unsigned>(random.between(20, 120));
    if (random.chance(300)) {
        const auto less = static_cast<std::size_t>(Fault::ringTakesLess);
        faultsPerMille[less] = static_cast<unsigned>(random.between(1, 300));
    }
    if (random.chance(200)) {
        const auto other = static_cast<std::size_t>(Fault::otherThread);
        faultsPerMille[other] = static_cast<unsigned>(random.between(1, 50));
    }
}

}  // namespace simulation
