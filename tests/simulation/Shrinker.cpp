#include "simulation/Shrinker.h"

#include <algorithm>
#include <numeric>

namespace simulation {

// time(): std::chrono's clocks are simulated in some of the programs.
Shrinker::Shrinker(Fails fails, std::time_t patienceSeconds)
    : fails_(std::move(fails)), until_(std::time(nullptr) + patienceSeconds) {}

// Delta debugging: leaves out one part after the other, in ever smaller parts.
FaultSet Shrinker::shrink(std::size_t count) {
    if (failsWith({})) return {};
    Numbers left(count);
    std::iota(left.begin(), left.end(), std::size_t{1});
    for (std::size_t parts = 2; left.size() > 1 && !gaveUp_;) {
        const std::size_t size = (left.size() + parts - 1) / parts;
        const bool smaller = leaveOutOnePart(left, size);
        if (!smaller && size == 1) break;
        parts = smaller ? std::max<std::size_t>(parts - 1, 2) : 2 * parts;
        parts = std::min(parts, left.size());
    }
    return {left.begin(), left.end()};
}

// From the end: what strikes late is rarely what a failure needs.
bool Shrinker::leaveOutOnePart(Numbers& left, std::size_t size) {
    for (std::size_t end = left.size(); end > 0 && !gaveUp_; end -= std::min(end, size)) {
        const auto to = left.begin() + static_cast<std::ptrdiff_t>(end);
        Numbers rest(left.begin(), to - static_cast<std::ptrdiff_t>(std::min(end, size)));
        rest.insert(rest.end(), to, left.end());
        if (!failsWith(rest)) continue;
        left = std::move(rest);
        return true;
    }
    return false;
}

bool Shrinker::failsWith(const Numbers& numbers) {
    gaveUp_ = gaveUp_ || std::time(nullptr) >= until_;
    return !gaveUp_ && fails_({numbers.begin(), numbers.end()});
}

}  // namespace simulation
