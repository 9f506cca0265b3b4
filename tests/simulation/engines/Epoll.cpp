#include "simulation/Scenario.h"

namespace simulation {

void Scenario::drawEngine() {
    selector.kind = nio::SelectorKind::epoll;
}

}  // namespace simulation
