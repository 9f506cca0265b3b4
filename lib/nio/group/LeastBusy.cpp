#include <nio/group/LeastBusy.h>

#include <algorithm>
#include <limits>

#include <nio/loop/SelectorThread.h>

namespace nio {

namespace {

constexpr double alike = 0.05;

double sharePerConnection(std::span<const LeastBusy::Load> loads) {
    double share = 0;
    double connections = 0;
    for (const LeastBusy::Load& load : loads) {
        share += load.share;
        connections += static_cast<double>(load.connectionsThen);
    }
    return share / std::max(connections, 1.0);
}

}  // namespace

std::size_t LeastBusy::choose(Threads threads) {
    std::lock_guard lock(mutex_);
    const bool looks = loads_.size() != threads.size() || meter_.age() >= window_;
    loads_.resize(threads.size());
    if (looks) {
        const std::vector<double>& shares = meter_.look(threads);
        for (std::size_t i = 0; i < threads.size(); ++i) {
            loads_[i] = {shares[i], threads[i]->connectionCount()};
        }
    }
    for (std::size_t i = 0; i < threads.size(); ++i) {
        loads_[i].connections = threads[i]->connectionCount();
        loads_[i].takes = threads[i]->queue()->takesConnections();
    }
    return leastBusy(loads_, start_++);
}

std::size_t LeastBusy::leastBusy(std::span<const Load> loads, std::size_t start) {
    const double each = sharePerConnection(loads);
    const auto expected = [&](const Load& load) {
        const bool grown = load.connections > load.connectionsThen;
        const std::size_t dealt = grown ? load.connections - load.connectionsThen : 0;
        return load.share + each * static_cast<double>(dealt);
    };
    const bool anyTakes =
        std::any_of(loads.begin(), loads.end(), [](const Load& load) { return load.takes; });
    const auto counts = [&](const Load& load) { return load.takes || !anyTakes; };
    double least = std::numeric_limits<double>::max();
    for (const Load& load : loads) {
        if (counts(load)) least = std::min(least, expected(load));
    }
    std::size_t best = loads.size();
    for (std::size_t i = 0; i < loads.size(); ++i) {
        const std::size_t candidate = (start + i) % loads.size();
        const Load& load = loads[candidate];
        if (!counts(load) || expected(load) > least + alike) continue;
        const bool better =
            best == loads.size() || loads[candidate].connections < loads[best].connections;
        if (better) best = candidate;
    }
    return best;
}

}  // namespace nio
