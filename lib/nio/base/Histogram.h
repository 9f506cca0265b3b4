// A histogram with buckets in powers of two: bucket n counts values from 2^(n-1) up to, but not
// including, 2^n; bucket 0 counts zeros. Fixed memory.
//
// Thread: Histogram is a value; PublishedHistogram::count() the owner's, read() any.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include <nio/base/Published.h>

namespace nio {

struct Histogram {
    static constexpr std::size_t buckets = 65;

    std::array<std::uint64_t, buckets> counts{};

    static std::size_t bucketOf(std::uint64_t value) {
        return static_cast<std::size_t>(std::bit_width(value));
    }
    // Exclusive upper bound of the bucket.
    static double upperBoundOf(std::size_t bucket);

    std::uint64_t total() const;
    // The upper bound of the bucket of this quantile (0 to 1); 0 if there are no values.
    double percentile(double part) const;
    Histogram& operator+=(const Histogram& other);
};

class PublishedHistogram {
  public:
    void count(std::uint64_t value) { counts_[Histogram::bucketOf(value)].add(1); }
    Histogram read() const;

  private:
    std::array<Published<std::uint64_t>, Histogram::buckets> counts_{};
};

}  // namespace nio
