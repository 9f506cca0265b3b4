#include <nio/loop/BusyEdge.h>

#include <algorithm>

namespace nio {

BusyEdge::BusyEdge(Time most) : most_(std::clamp(most, Time::zero(), longest)), budget_(most_) {}

void BusyEdge::ended(Time idle) {
    const bool looked = budget() > Time::zero();
    edgesAsleep_ = looked ? 0 : edgesAsleep_ + 1;
    if (looked) undisturbed();
    if (isCrowded_) return;
    if (idle <= most_) {
        budget_ = std::min(most_, std::max(budget_ * 2, least()));
    } else {
        budget_ = budget_ / 2 < least() ? Time::zero() : budget_ / 2;
    }
}

// One edge undisturbed proves little: those who want the CPU may only have been waiting themselves.
void BusyEdge::undisturbed() {
    isCrowded_ = false;
    if (++undisturbed_ < edgesPerTrust) return;
    undisturbed_ = 0;
    edgesPerProbe_ = std::max(edgesPerProbe_ / 2, fewestEdgesPerProbe);
}

void BusyEdge::crowded() {
    isCrowded_ = true;
    budget_ = Time::zero();
    edgesAsleep_ = 0;
    undisturbed_ = 0;
    edgesPerProbe_ = std::min(edgesPerProbe_ * 2, mostEdgesPerProbe);
}

}  // namespace nio
