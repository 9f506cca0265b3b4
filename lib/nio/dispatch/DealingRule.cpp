#include <nio/dispatch/DealingRule.h>

#include <utility>

#include <nio/dispatch/SelectorThread.h>

namespace nio {

// A number for each that is looked at: in the place of one that is left out the others stay even.
std::size_t RoundRobin::choose(Threads threads) {
    std::size_t index = 0;
    for (std::size_t tries = threads.size(); tries > 0; --tries) {
        index = next_.fetch_add(1, std::memory_order_relaxed) % threads.size();
        if (threads[index]->takesConnections()) break;
    }
    return index;
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
