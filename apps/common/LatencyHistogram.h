// How often each latency was seen, in buckets whose width grows with the value (log-linear): up to
// 2 µs every nanosecond has its own, above that a bucket is at most 0.1 % of its value wide. The
// range ends at 60 s. Longer latencies share one bucket: a percentile that lies there is `beyond`
// the range, more is not known of it; min(), max() and mean() stay exact.
//
// record() is a few instructions and no allocation but the first one's: an empty histogram is
// small. Several may be merged without loss; percentiles of the sum are taken then, never averaged.
//
// Thread: one at a time; a value.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace apps {

class LatencyHistogram {
  public:
    using Duration = std::chrono::nanoseconds;

    static constexpr Duration highest = std::chrono::seconds(60);
    // A percentile that is longer than `highest`.
    static constexpr Duration beyond = Duration::max() - Duration(1);
    // A percentile of what never came to an end.
    static constexpr Duration never = Duration::max();
    static constexpr int significantDigits = 3;
    // Buckets come in groups, each twice as wide as the one before.
    static constexpr std::size_t bucketsOfGroup = 2048;
    static constexpr std::size_t groups = 26;

    // A negative one counts as zero.
    void record(Duration latency) { recordTimes(latency, 1); }
    void recordTimes(Duration latency, std::uint64_t times);
    void merge(const LatencyHistogram& other);

    std::uint64_t count() const { return count_; }
    // Exact, as is the mean. Zero while nothing was recorded.
    Duration min() const { return count_ == 0 ? Duration::zero() : min_; }
    Duration max() const { return max_; }
    Duration mean() const;
    // Of all together; after 584 years it begins anew.
    std::uint64_t sumNanoseconds() const { return sum_; }
    // The smallest latency that `percent` of all do not exceed, to three digits, or `beyond`; where
    // so many more as `endless` never came to an end, also `never`.
    Duration percentile(double percent, std::uint64_t endless = 0) const;
    // How many were longer, to three digits: those that share its bucket were not.
    std::uint64_t countAbove(Duration latency) const;

    // How many were longer than `highest`.
    std::uint64_t countBeyond() const { return counts_.empty() ? 0 : counts_.back(); }

    // Calls f(Duration, std::uint64_t) for each bucket that is not empty, in order: the largest
    // latency that falls into it (max(), of those beyond the range), and how many did.
    template <class F>
    void forEach(F&& f) const {
        for (std::size_t i = 0; i + 1 < counts_.size(); ++i) {
            if (counts_[i] > 0) f(highestOf(i), counts_[i]);
        }
        if (countBeyond() > 0) f(max_, countBeyond());
    }

    // What forEach() told and the exact figures make the same histogram again. Absent: no histogram
    // can have told that.
    using Bucket = std::pair<Duration, std::uint64_t>;
    static std::optional<LatencyHistogram> restore(const std::vector<Bucket>& buckets, Duration min,
                                                   Duration max, std::uint64_t sumNanoseconds);

    bool operator==(const LatencyHistogram&) const = default;

  private:
    static Duration highestOf(std::size_t bucket);

    std::vector<std::uint64_t> counts_;  // empty until the first record(); the last: beyond
    std::uint64_t count_ = 0;
    std::uint64_t sum_ = 0;
    Duration min_ = Duration::max();
    Duration max_ = Duration::zero();
};

}  // namespace apps
