#include "simulation/Scenario.h"
#include "simulation/Simulation.h"

namespace simulation {

const char* const Simulation::subject =
    "dispatchers with the handlers of echo-server, on a simulated kernel";

void Scenario::drawEngine() {
    selector.kind = nio::SelectorKind::epoll;
}

}  // namespace simulation
