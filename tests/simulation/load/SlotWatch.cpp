#include "simulation/load/SlotWatch.h"

#include <algorithm>

namespace simulation {

namespace {

// More than the pause before a dial that follows one that has failed.
constexpr std::chrono::milliseconds patience{400};
constexpr std::chrono::seconds suspended{10};

}  // namespace

void SlotWatch::look() {
    if (listener_.dialled.size() == seen_) return;
    seen_ = listener_.dialled.size();
    std::vector<std::string> open;
    for (const auto& connection : listener_.dialled) {
        if (!connection->isOpen(Side::client)) continue;
        open.push_back(connection->source.withPort(0).toString());
    }
    std::sort(open.begin(), open.end());
    const auto twice = std::adjacent_find(open.begin(), open.end());
    if (twice != open.end()) return fail("the slot of " + *twice + " has two connections");
    if (open.size() > scenario_.options.connections) fail("more connections than asked for");
}

void SlotWatch::observed(const load::Sample& sample) {
    if (sample.phase != load::LoadPhase::measuring) return;
    Machine& machine = scheduler_.machine();
    if (!measuredSince_) {
        measuredSince_ = machine.now();
        if (scenario_.isSuspended) machine.suspend(suspended);
    }
    measuredUntil_ = machine.now();
    if (mayBeAlone()) return;
    for (std::size_t i = 0; i < scenario_.options.connections; ++i) checkAlone(i);
}

nio::Clock::duration SlotWatch::suspension() const {
    const bool isSure = scenario_.isSuspended && measuredSince_ && !scheduler_.clockHasJumped() &&
                        measuredUntil_ - *measuredSince_ > patience;
    return isSure ? suspended : nio::Clock::duration::zero();
}

bool SlotWatch::mayBeAlone() const {
    // With a number of messages, a slot that has sent its share is not renewed.
    return !scenario_.options.renewsConnections() || scenario_.options.messages > 0 ||
           scenario_.options.connectRate > 0 || !scenario_.outages.empty() ||
           scheduler_.clockHasJumped() || scheduler_.machine().now() - *measuredSince_ < patience;
}

void SlotWatch::checkAlone(std::size_t slot) {
    const std::string source = scenario_.sourceOf(slot).withPort(0).toString();
    const auto isIts = [&source](const std::shared_ptr<Connection>& connection) {
        return connection->source.withPort(0).toString() == source;
    };
    const auto& all = listener_.dialled;
    const auto last = std::find_if(all.rbegin(), all.rend(), isIts);
    const bool isThere = last != all.rend() && (*last)->isOpen(Side::client);
    if (isThere) return;
    const nio::TimePoint since = last == all.rend() ? *measuredSince_ : (*last)->closedAt;
    if (scheduler_.machine().now() - since > patience)
        fail("nobody dials for the slot of " + source);
}

}  // namespace simulation
