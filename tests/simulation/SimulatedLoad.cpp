// How busy the simulated dispatchers are: drawn anew at each look, so that the rebalancer has to
// do. And what SelectorThreadGroup::start() would give threads to, the run turns by hand (--wrap,
// see CMakeLists.txt).
#include <nio/group/LoadMeter.h>
#include <nio/loop/SelectorThread.h>

#include "simulation/Machine.h"

void wrappedStart(nio::SelectorThread* thread) __asm__("__wrap__ZN3nio14SelectorThread5startEv");
void wrappedStart(nio::SelectorThread*) {}

namespace nio {

const std::vector<double>& LoadMeter::look(DealingRule::Threads threads) {
    simulation::Random& random = simulation::Machine::current().random();
    shares_.resize(threads.size());
    for (double& share : shares_) share = static_cast<double>(random.below(1001)) / 1000;
    simulation::Machine::current().journal().note("load");
    return shares_;
}

Clock::duration LoadMeter::age() const {
    return {};
}

}  // namespace nio
