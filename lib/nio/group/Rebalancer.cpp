#include <nio/group/Rebalancer.h>

#include <algorithm>
#include <numeric>

#include <nio/loop/SelectorThread.h>

namespace nio {

// Refused only when the dispatcher has stopped already: then there is nothing to balance.
void Rebalancer::start() {
    (void)threads_[0]->invokeLater([this] {
        onDispatcher.assertCurrent();
        next_.emplace(threads_[0]->deadlines(), [this] {
            onDispatcher.assertCurrent();
            look();
        });
        look();
    });
}

// A dispatcher that is hot for the first time only begins to count what its connections do.
void Rebalancer::look() {
    if (threads_[0]->draining().options()) return;
    // First: whatever this look comes to, there is a next one.
    next_->wakeAfter(std::max(options_.interval, std::chrono::milliseconds(1)));
    std::vector<bool> isHot(threads_.size());
    std::vector<bool> takes(threads_.size());
    for (std::size_t i = 0; i < takes.size(); ++i)
        takes[i] = threads_[i]->queue()->takesConnections();
    for (const Transfer& transfer : transfers(meter_.look(threads_), options_.difference, takes)) {
        SelectorThread& from = *threads_[transfer.from];
        isHot[transfer.from] = true;
        const double share = wasHot_[transfer.from] ? transfer.share : 0;
        // Refused: it is busy indeed, or has stopped. The next look sees what has become of it.
        (void)from.invokeLater(
            [&from, &to = *threads_[transfer.to], share, most = options_.maxMoves] {
                onDispatcher.assertCurrent();
                giveAway(from, to, share, most);
            });
    }
    wasHot_ = std::move(isHot);
}

std::vector<Rebalancer::Transfer> Rebalancer::transfers(std::span<const double> shares,
                                                        double difference,
                                                        const std::vector<bool>& takes) {
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < shares.size(); ++i) {
        if (takes.empty() || takes[i]) order.push_back(i);
    }
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return shares[a] < shares[b]; });
    std::vector<Transfer> found;
    for (std::size_t i = 0; i < order.size() / 2; ++i) {
        const std::size_t cool = order[i];
        const std::size_t hot = order[order.size() - 1 - i];
        const double surplus = shares[hot] - shares[cool];
        if (surplus < difference || surplus <= 0) break;
        found.push_back({hot, cool, surplus / 2 / shares[hot]});
    }
    return found;
}

std::vector<std::size_t> Rebalancer::chosen(std::span<const std::uint32_t> activities,
                                            std::uint64_t total, double share, std::size_t most) {
    std::vector<std::size_t> order(activities.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return activities[a] > activities[b]; });
    auto left = static_cast<std::uint64_t>(share * static_cast<double>(total));
    std::vector<std::size_t> found;
    for (const std::size_t index : order) {
        if (found.size() == most || activities[index] == 0) break;
        if (activities[index] > left) continue;
        left -= activities[index];
        found.push_back(index);
    }
    return found;
}

std::size_t Rebalancer::giveAway(SelectorThread& from, SelectorThread& to, double share,
                                 std::size_t most) {
    std::vector<SelectableChannel*> movable;
    std::vector<std::uint32_t> activities;
    std::uint64_t total = 0;
    for (const Registry::Activity& each : from.registry().takeActivities()) {
        total += each.timesReady;
        if (!each.isMovable) continue;
        movable.push_back(each.channel);
        activities.push_back(each.timesReady);
    }
    std::size_t given = 0;
    for (const std::size_t index : chosen(activities, total, share, most)) {
        given += from.moves().moveNow(*movable[index], to).ok() ? 1 : 0;
    }
    return given;
}

}  // namespace nio
