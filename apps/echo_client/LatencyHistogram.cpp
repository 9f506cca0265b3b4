#include "echo_client/LatencyHistogram.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace load {

namespace {

// Each power of two is cut into `half` buckets.
constexpr unsigned halfBits = 10;
constexpr std::uint64_t half = std::uint64_t{1} << halfBits;

constexpr std::size_t bucketOf(std::uint64_t nanoseconds) {
    const auto bits = static_cast<unsigned>(std::bit_width(nanoseconds));
    const unsigned shift = bits > halfBits + 1 ? bits - halfBits - 1 : 0;
    return static_cast<std::size_t>(shift * half + (nanoseconds >> shift));
}

constexpr std::size_t buckets = bucketOf(LatencyHistogram::highest.count()) + 1;

// The largest value that falls into it.
LatencyHistogram::Duration upperEdge(std::size_t bucket) {
    if (bucket < 2 * half) return LatencyHistogram::Duration(bucket);
    const std::size_t shift = bucket / half - 1;
    const std::uint64_t top = bucket - shift * half;
    return LatencyHistogram::Duration(((top + 1) << shift) - 1);
}

}  // namespace

void LatencyHistogram::record(Duration latency) {
    latency = std::max(latency, Duration::zero());
    if (counts_.empty()) counts_.resize(buckets);
    ++counts_[bucketOf(static_cast<std::uint64_t>(std::min(latency, highest).count()))];
    ++count_;
    min_ = std::min(min_, latency);
    max_ = std::max(max_, latency);
}

void LatencyHistogram::merge(const LatencyHistogram& other) {
    if (other.count_ == 0) return;
    if (counts_.empty()) counts_.resize(buckets);
    for (std::size_t i = 0; i < buckets; ++i) counts_[i] += other.counts_[i];
    count_ += other.count_;
    min_ = std::min(min_, other.min_);
    max_ = std::max(max_, other.max_);
}

LatencyHistogram::Duration LatencyHistogram::percentile(double percent) const {
    if (count_ == 0) return Duration::zero();
    // 99.9 % of 1,000 are 999, though 99.9 / 100 * 1000 is a little more.
    const double exact = percent / 100 * static_cast<double>(count_) - 1e-6;
    const auto wanted = static_cast<std::uint64_t>(std::max(1.0, std::ceil(exact)));
    std::uint64_t seen = 0;
    for (std::size_t i = 0; i < buckets; ++i) {
        seen += counts_[i];
        if (seen >= wanted) return std::clamp(upperEdge(i), min_, max_);
    }
    return max_;
}

}  // namespace load
