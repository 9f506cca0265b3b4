#include <nio/group/DealingRule.h>

#include <algorithm>
#include <utility>

#include <nio/loop/SelectorThread.h>

namespace nio {

// A number for each that is looked at: in the place of one that is left out the others stay even.
std::size_t RoundRobin::choose(Threads threads) {
    const auto takes = [](const auto& thread) { return thread->queue()->takesConnections(); };
    for (std::size_t tries = threads.size(); tries > 0; --tries) {
        const std::size_t index = next_.fetch_add(1, std::memory_order_relaxed) % threads.size();
        if (takes(threads[index])) return index;
    }
    // Others may have drawn the numbers of those that do.
    const auto any = std::find_if(threads.begin(), threads.end(), takes);
    return any == threads.end() ? 0 : static_cast<std::size_t>(any - threads.begin());
}

std::size_t ReusePort::choose(Threads threads) {
    const auto isCurrent = [](const auto& thread) { return thread->isCurrent(); };
    const auto here = std::find_if(threads.begin(), threads.end(), isCurrent);
    return here == threads.end() ? others_.choose(threads)
                                 : static_cast<std::size_t>(here - threads.begin());
}

std::size_t FewestConnections::choose(Threads threads) {
    const std::size_t start = start_.fetch_add(1, std::memory_order_relaxed);
    const auto rank = [&](std::size_t i) {
        return std::pair(!threads[i]->queue()->takesConnections(), threads[i]->connectionCount());
    };
    std::size_t best = start % threads.size();
    for (std::size_t i = 1; i < threads.size(); ++i) {
        const std::size_t candidate = (start + i) % threads.size();
        if (rank(candidate) < rank(best)) best = candidate;
    }
    return best;
}

}  // namespace nio
