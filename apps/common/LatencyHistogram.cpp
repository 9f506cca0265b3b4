#include "common/LatencyHistogram.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace apps {

using Duration = LatencyHistogram::Duration;

namespace {

// Each power of two is cut into `half` buckets.
constexpr unsigned halfBits = 10;
constexpr std::uint64_t half = std::uint64_t{1} << halfBits;

constexpr std::size_t bucketOf(std::uint64_t nanoseconds) {
    const auto bits = static_cast<unsigned>(std::bit_width(nanoseconds));
    const unsigned shift = bits > halfBits + 1 ? bits - halfBits - 1 : 0;
    return static_cast<std::size_t>(shift * half + (nanoseconds >> shift));
}

// Those of the range, and one more.
constexpr std::size_t bucketBeyond =
    bucketOf(static_cast<std::uint64_t>(LatencyHistogram::highest.count())) + 1;
constexpr std::size_t buckets = bucketBeyond + 1;
static_assert(LatencyHistogram::bucketsOfGroup == 2 * half);
static_assert(bucketBeyond / half == LatencyHistogram::groups);

constexpr std::size_t bucketOf(Duration latency) {
    return latency > LatencyHistogram::highest
               ? bucketBeyond
               : bucketOf(static_cast<std::uint64_t>(latency.count()));
}

// More than a load can make, and a thousand of its like can still be added up.
constexpr std::uint64_t mostRestored = std::uint64_t{1} << 50;

bool canBeTheSum(std::uint64_t sum, std::uint64_t count, Duration min, Duration max) {
    const double mean = static_cast<double>(sum) / static_cast<double>(count);
    constexpr double rounding = 1e-12;
    return mean >= static_cast<double>(min.count()) * (1 - rounding) &&
           mean <= static_cast<double>(max.count()) * (1 + rounding);
}

}  // namespace

// The largest value that falls into it.
Duration LatencyHistogram::highestOf(std::size_t bucket) {
    if (bucket < 2 * half) return Duration(bucket);
    const std::size_t shift = bucket / half - 1;
    const std::uint64_t top = bucket - shift * half;
    return std::min(Duration(((top + 1) << shift) - 1), highest);
}

void LatencyHistogram::recordTimes(Duration latency, std::uint64_t times) {
    if (times == 0) return;
    latency = std::max(latency, Duration::zero());
    if (counts_.empty()) counts_.resize(buckets);
    counts_[bucketOf(latency)] += times;
    count_ += times;
    sum_ += static_cast<std::uint64_t>(latency.count()) * times;
    min_ = std::min(min_, latency);
    max_ = std::max(max_, latency);
}

void LatencyHistogram::merge(const LatencyHistogram& other) {
    if (other.count_ == 0) return;
    if (counts_.empty()) counts_.resize(buckets);
    const std::size_t end = bucketOf(other.max_) + 1;
    for (std::size_t i = bucketOf(other.min_); i < end; ++i) counts_[i] += other.counts_[i];
    count_ += other.count_;
    sum_ += other.sum_;
    min_ = std::min(min_, other.min_);
    max_ = std::max(max_, other.max_);
}

Duration LatencyHistogram::mean() const {
    return Duration(count_ == 0 ? 0 : sum_ / count_);
}

Duration LatencyHistogram::percentile(double percent, std::uint64_t endless) const {
    if (count_ + endless == 0) return Duration::zero();
    // 99.9 % of 1,000 are 999, though 99.9 / 100 * 1000 is a little more.
    const double exact = percent / 100 * static_cast<double>(count_ + endless) - 1e-6;
    const auto wanted = static_cast<std::uint64_t>(std::max(1.0, std::ceil(exact)));
    if (wanted > count_ && endless > 0) return never;
    std::uint64_t seen = 0;
    for (std::size_t i = bucketOf(min_); i < bucketBeyond; ++i) {
        seen += counts_[i];
        if (seen >= wanted) return std::clamp(highestOf(i), min_, max_);
    }
    return beyond;
}

std::uint64_t LatencyHistogram::countAbove(Duration latency) const {
    std::uint64_t above = 0;
    const std::size_t begin = bucketOf(std::max(latency, Duration::zero())) + 1;
    for (std::size_t i = begin; i < counts_.size(); ++i) above += counts_[i];
    return above;
}

std::optional<LatencyHistogram> LatencyHistogram::restore(const std::vector<Bucket>& from,
                                                          Duration min, Duration max,
                                                          std::uint64_t sumNanoseconds) {
    LatencyHistogram histogram;
    Duration last(-1);
    for (const auto& [value, times] : from) {
        const bool isBeyond = value > highest && value == max && max < beyond;
        const bool isEdge = value > last && (isBeyond || highestOf(bucketOf(value)) == value);
        if (!isEdge || times == 0 || times > mostRestored - histogram.count_) return std::nullopt;
        histogram.recordTimes(last = value, times);
    }
    if (from.empty()) {
        const bool isEmpty = min.count() == 0 && max.count() == 0 && sumNanoseconds == 0;
        return isEmpty ? std::optional(histogram) : std::nullopt;
    }
    const bool isKnown =
        min >= Duration::zero() && max >= min && bucketOf(min) == bucketOf(from.front().first) &&
        bucketOf(max) == bucketOf(last) && canBeTheSum(sumNanoseconds, histogram.count_, min, max);
    if (!isKnown) return std::nullopt;
    histogram.min_ = min;
    histogram.max_ = max;
    histogram.sum_ = sumNanoseconds;
    return histogram;
}

}  // namespace apps
