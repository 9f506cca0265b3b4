// How often each latency was seen, in buckets whose width grows with the value (log-linear): up to
// 2 µs every nanosecond has its own, above that a bucket is at most 0.1 % of its value wide. 60 s
// is the last; longer ones count as 60 s, but max() tells what they were.
//
// record() is a few instructions and no allocation but the first one's: an empty histogram is
// small.
//
// Thread: one at a time; a value.
#pragma once

#include <chrono>
#include <cstdint>
#include <vector>

namespace load {

class LatencyHistogram {
  public:
    using Duration = std::chrono::nanoseconds;

    static constexpr Duration highest = std::chrono::seconds(60);

    // A negative one counts as zero.
    void record(Duration latency);
    void merge(const LatencyHistogram& other);

    std::uint64_t count() const { return count_; }
    // Zero while nothing was recorded.
    Duration min() const { return count_ == 0 ? Duration::zero() : min_; }
    Duration max() const { return max_; }
    // The smallest latency that `percent` of all do not exceed, to three digits.
    Duration percentile(double percent) const;

  private:
    std::vector<std::uint64_t> counts_;  // empty until the first record()
    std::uint64_t count_ = 0;
    Duration min_ = Duration::max();
    Duration max_ = Duration::zero();
};

}  // namespace load
