// A histogram as a plot shows it: few wide bins, each wider than the one before by the same factor.
//
// Bin `i` begins at 10^(i / perDecade) ns. What was recorded as 0 ns counts as 1 ns.
//
// Thread: any; a value.
#pragma once

#include <cstdint>
#include <vector>

#include "common/LatencyHistogram.h"

namespace load::page {

using apps::LatencyHistogram;

class LatencyBins {
  public:
    struct Bin {
        double from;  // nanoseconds
        double to;
        std::uint64_t count;
    };

    LatencyBins(const LatencyHistogram& latency, int perDecade);

    // Without gaps, from the first that is not empty to the last. Empty for an empty histogram.
    const std::vector<Bin>& bins() const { return bins_; }
    // Of all that was recorded, 0 to 1.
    double share(const Bin& bin) const { return static_cast<double>(bin.count) / total_; }

    // So many that values from `low` to `high` fall into some dozens of bins.
    static int perDecadeFor(double low, double high);

  private:
    double total_;
    std::vector<Bin> bins_;
};

}  // namespace load::page
