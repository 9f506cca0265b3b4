#include "sms_router/routing/GroupChooser.h"

#include <algorithm>
#include <cmath>

#include "sms_router/model/Moment.h"
#include "sms_router/routing/RouteHash.h"

namespace router {

namespace {

// Weighted rendezvous: the highest score wins, each as often as its share of the weights.
double scoreOf(std::uint64_t hash, double weight) {
    const double uniform = (static_cast<double>(hash >> 11) + 0.5) * 0x1.0p-53;
    return -weight / std::log(uniform);
}

}  // namespace

GroupChooser::GroupChooser(const RouterConfig& config, const ConnectorBoard& board)
    : config_(&config), board_(&board) {
    for (const GroupConfig& group : config.groups) {
        std::vector<TierState>& tiers = states_.emplace_back();
        for (const auto& tier : group.tiers)
            tiers.push_back({0, std::vector<std::int64_t>(tier.size())});
        groupKeys_.push_back(hashOf(group.name));
    }
    for (const ConnectorConfig& connector : config.connectors)
        nameHashes_.push_back(hashOf(connector.name));
}

template <class In>
std::optional<GroupChoice> GroupChooser::firstOf(std::size_t group, std::string_view destination,
                                                 In&& in) const {
    const bool overflows = config_->groups[group].overflows();
    for (const Room room : {Room::needed, Room::any}) {
        if (room == Room::needed && !overflows) continue;
        for (std::size_t tier = 0; tier < states_[group].size(); ++tier)
            if (const auto choice = in(Choosing{group, tier, room, destination})) return choice;
    }
    return std::nullopt;
}

std::optional<GroupChoice> GroupChooser::next(std::size_t group,
                                              std::string_view destination) const {
    return firstOf(group, destination, [&](const Choosing& choosing) { return nextIn(choosing); });
}

std::optional<GroupChoice> GroupChooser::nextWithRoom(std::size_t group,
                                                      std::string_view destination) const {
    for (std::size_t tier = 0; tier < states_[group].size(); ++tier)
        if (const auto choice = nextIn({group, tier, Room::needed, destination})) return choice;
    return std::nullopt;
}

std::optional<GroupChoice> GroupChooser::nextIn(const Choosing& choosing) const {
    const auto [group, tier, room, destination] = choosing;
    const std::vector<std::size_t>& members = config_->groups[group].tiers[tier];
    std::optional<GroupChoice> best;
    std::size_t member = states_[group][tier].start;
    for (std::size_t i = 0; i < members.size(); ++i) {
        if (isUsable(group, members[member], room) &&
            (!best || isBetter(choosing, member, best->member)))
            best = {tier, member, members[member]};
        if (++member == members.size()) member = 0;
    }
    return best;
}

bool GroupChooser::isBetter(const Choosing& choosing, std::size_t one, std::size_t other) const {
    const GroupConfig& group = config_->groups[choosing.group];
    const std::vector<std::size_t>& members = group.tiers[choosing.tier];
    const std::vector<std::int64_t>& credits = states_[choosing.group][choosing.tier].credits;
    const std::size_t a = members[one];
    const std::size_t b = members[other];
    if (group.balance == Balance::cheapest) {
        const double costOfA = costOf(a, choosing.destination);
        const double costOfB = costOf(b, choosing.destination);
        if (costOfA != costOfB) return costOfA < costOfB;
    }
    switch (group.balance) {
        case Balance::roundRobin: return false;
        case Balance::weighted: return credits[one] + weightOf(a) > credits[other] + weightOf(b);
        case Balance::cheapest:
        case Balance::fewestOutstanding: return outstandingOf(a) < outstandingOf(b);
    }
    return false;
}

void GroupChooser::moveOn(std::size_t group, const GroupChoice& taken) {
    const std::vector<std::size_t>& members = config_->groups[group].tiers[taken.tier];
    if (config_->groups[group].balance == Balance::weighted)
        payCredits(group, taken);
    else
        states_[group][taken.tier].start = (taken.member + 1) % members.size();
}

// Smooth weighted round robin: each earns its weight, and the one taken pays for all.
void GroupChooser::payCredits(std::size_t group, const GroupChoice& taken) {
    const std::vector<std::size_t>& tier = config_->groups[group].tiers[taken.tier];
    TierState& state = states_[group][taken.tier];
    std::int64_t all = 0;
    for (std::size_t member = 0; member < tier.size(); ++member) {
        // The one taken was live when it was chosen.
        if (member != taken.member && !isUsable(group, tier[member], Room::needed)) continue;
        state.credits[member] += weightOf(tier[member]);
        all += weightOf(tier[member]);
    }
    state.credits[taken.member] -= all;
}

std::optional<GroupChoice> GroupChooser::forMessage(std::size_t group, std::uint64_t message,
                                                    std::string_view destination) const {
    return firstOf(group, destination,
                   [&](const Choosing& choosing) { return forMessageIn(choosing, message); });
}

std::optional<GroupChoice> GroupChooser::forMessageIn(const Choosing& choosing,
                                                      std::uint64_t message) const {
    const auto [group, tier, room, destination] = choosing;
    const std::vector<std::size_t>& members = config_->groups[group].tiers[tier];
    const Balance balance = config_->groups[group].balance;
    std::optional<GroupChoice> best;
    double bestScore = 0;
    for (std::size_t member = 0; member < members.size(); ++member) {
        const std::size_t connector = members[member];
        if (!isUsable(group, connector, room)) continue;
        const bool isPriced = balance == Balance::cheapest && best;
        const double cost = isPriced ? costOf(connector, destination) : 0;
        const double lowest = isPriced ? costOf(best->connector, destination) : 0;
        const double score =
            scoreOf(hashOf(message, nameHashes_[connector]),
                    balance == Balance::weighted ? static_cast<double>(weightOf(connector)) : 1);
        if (best && (cost > lowest || (cost == lowest && score <= bestScore))) continue;
        best = {tier, member, connector};
        bestScore = score;
    }
    return best;
}

bool GroupChooser::isLive(std::size_t connector) const {
    return connector < board_->size() && (*board_)[connector].live.load(std::memory_order_acquire);
}

bool GroupChooser::isUsable(std::size_t group, std::size_t connector, Room room) const {
    return isLive(connector) && (room == Room::any || hasRoom(config_->groups[group], connector));
}

bool GroupChooser::hasRoom(const GroupConfig& group, std::size_t connector) const {
    const ConnectorState& state = (*board_)[connector];
    const std::size_t queued = state.queued.load(std::memory_order_relaxed);
    if (group.overflowQueue > 0 && queued >= group.overflowQueue) return false;
    if (group.overflowAfter.count() == 0 || queued == 0) return true;
    const nio::TimePoint since = state.queuedSince.load(std::memory_order_relaxed);
    return since >= Moment::now() - group.overflowAfter;
}

std::optional<std::size_t> GroupChooser::groupOf(std::uint64_t key) const {
    const auto found = std::find(groupKeys_.begin(), groupKeys_.end(), key);
    if (found == groupKeys_.end()) return std::nullopt;
    return static_cast<std::size_t>(found - groupKeys_.begin());
}

bool GroupChooser::takesMessages(std::size_t connector) const {
    return connector < board_->size() && (*board_)[connector].takes.load(std::memory_order_relaxed);
}

std::optional<std::size_t> GroupChooser::awaitedOf(std::size_t group) const {
    for (const auto& tier : config_->groups[group].tiers)
        for (const std::size_t connector : tier)
            if (takesMessages(connector)) return connector;
    return std::nullopt;
}

bool GroupChooser::isMember(std::size_t group, std::size_t connector) const {
    for (const auto& tier : config_->groups[group].tiers)
        if (std::find(tier.begin(), tier.end(), connector) != tier.end()) return true;
    return false;
}

std::int64_t GroupChooser::weightOf(std::size_t connector) const {
    return static_cast<std::int64_t>(config_->connectors[connector].weight);
}

std::size_t GroupChooser::outstandingOf(std::size_t connector) const {
    return (*board_)[connector].outstanding.load(std::memory_order_relaxed);
}

}  // namespace router
