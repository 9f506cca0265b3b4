#include "echo_client/verdict/Repeats.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace load {

namespace {

constexpr double leastCoverage = 0.95;

// How likely `count` fair coins show at most `heads` heads.
double atMost(std::size_t heads, std::size_t count) {
    double term = std::ldexp(1.0, -static_cast<int>(count));
    double sum = term;
    for (std::size_t k = 1; k <= heads; ++k) {
        term *= static_cast<double>(count - k + 1) / static_cast<double>(k);
        sum += term;
    }
    return sum;
}

// Of the interval from the value at `rank` (from 0) to its mirror image.
double coverage(std::size_t rank, std::size_t count) {
    return std::max(0.0, 1 - 2 * atMost(rank, count));
}

}  // namespace

MedianEstimate MedianEstimate::of(std::vector<double> values) {
    assert(!values.empty() && values.size() <= 1'000);
    std::sort(values.begin(), values.end());
    const std::size_t count = values.size();
    std::size_t rank = 0;
    while (2 * (rank + 1) < count && coverage(rank + 1, count) >= leastCoverage) ++rank;
    return {(values[(count - 1) / 2] + values[count / 2]) / 2, values[rank],
            values[count - 1 - rank], coverage(rank, count)};
}

}  // namespace load
