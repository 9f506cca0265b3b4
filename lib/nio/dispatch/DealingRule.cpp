#include <nio/dispatch/DealingRule.h>

#include <utility>

#include <nio/dispatch/SelectorThread.h>

namespace nio {

std::size_t RoundRobin::choose(Threads threads) {
    return next_.fetch_add(1, std::memory_order_relaxed) % threads.size();
}

std::size_t FewestConnections::choose(Threads threads) {
    const std::size_t start = start_.fetch_add(1, std::memory_order_relaxed);
    const auto rank = [&](std::size_t i) {
        return std::pair(!threads[i]->takesConnections(), threads[i]->connectionCount());
    };
    std::size_t best = start % threads.size();
    for (std::size_t i = 1; i < threads.size(); ++i) {
        const std::size_t candidate = (start + i) % threads.size();
        if (rank(candidate) < rank(best)) best = candidate;
    }
    return best;
}

}  // namespace nio
