#include "echo_client/figures/Outages.h"

#include <algorithm>

#include "common/Units.h"

namespace load {

namespace {

std::uint64_t sumOf(std::uint64_t one, std::uint64_t other) {
    return one + std::min(other, UINT64_MAX - one);
}

bool isNear(const Outage& one, const Outage& other) {
    return one.from <= other.to + Outages::gap && other.from <= one.to + Outages::gap;
}

void absorb(Outage& into, const Outage& other) {
    into.from = std::min(into.from, other.from);
    into.to = std::max(into.to, other.to);
    into.connections = sumOf(into.connections, other.connections);
    into.lost = sumOf(into.lost, other.lost);
    into.late = sumOf(into.late, other.late);
}

}  // namespace

void Outages::add(const Outage& outage) {
    Outage sum = outage;
    const auto apart = std::stable_partition(
        all_.begin(), all_.end(), [&outage](const Outage& each) { return !isNear(each, outage); });
    std::for_each(apart, all_.end(), [&sum](const Outage& each) { absorb(sum, each); });
    all_.erase(apart, all_.end());
    const auto isEarlier = [](const Outage& one, const Outage& other) {
        return one.from < other.from;
    };
    all_.insert(std::upper_bound(all_.begin(), all_.end(), sum, isEarlier), sum);
    if (all_.size() <= most) return;
    absorb(all_[most - 1], all_.back());
    all_.pop_back();
}

void Outages::merge(const Outages& other) {
    for (const Outage& outage : other.all_) add(outage);
}

std::string toString(const Outage& outage) {
    const auto counted = [](std::uint64_t count, const std::string& noun) {
        return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
    };
    return "from " + apps::withUnit(outage.from) + " for " +
           apps::withUnit(outage.to - outage.from) + ", " +
           counted(outage.connections, "connection") + ": " + counted(outage.lost, "message") +
           " unanswered, " + std::to_string(outage.late) + " sent late";
}

}  // namespace load
