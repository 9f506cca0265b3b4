#include "echo_client/report/page/LatencyBins.h"

#include <algorithm>
#include <cmath>

namespace load::page {

namespace {

constexpr double mostBins = 90;

// 10^(i / n) itself belongs to the bin that it begins.
int binOf(double nanoseconds, int perDecade) {
    return static_cast<int>(std::floor(std::log10(nanoseconds) * perDecade + 1e-9));
}

double beginOf(int bin, int perDecade) {
    return std::pow(10, static_cast<double>(bin) / perDecade);
}

}  // namespace

LatencyBins::LatencyBins(const LatencyHistogram& latency, int perDecade)
    : total_(static_cast<double>(latency.count())) {
    int next = 0;
    latency.forEach([&](LatencyHistogram::Duration value, std::uint64_t count) {
        const auto nanoseconds = static_cast<double>(std::max<std::int64_t>(value.count(), 1));
        const int bin = binOf(nanoseconds, perDecade);
        if (bins_.empty()) next = bin;
        for (; next <= bin; ++next) {
            bins_.push_back({beginOf(next, perDecade), beginOf(next + 1, perDecade), 0});
        }
        bins_.back().count += count;
    });
}

int LatencyBins::perDecadeFor(double low, double high) {
    const double decades = std::log10(std::max(high, 1.0) / std::max(low, 1.0));
    for (const int perDecade : {100, 50, 40, 25, 20, 10}) {
        if (decades * perDecade <= mostBins) return perDecade;
    }
    return 5;
}

}  // namespace load::page
