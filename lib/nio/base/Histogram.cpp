#include <nio/base/Histogram.h>

#include <cmath>
#include <numeric>

namespace nio {

double Histogram::upperBoundOf(std::size_t bucket) {
    return std::ldexp(1.0, static_cast<int>(bucket));
}

std::uint64_t Histogram::total() const {
    return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
}

double Histogram::percentile(double part) const {
    const double wanted = part * static_cast<double>(total());
    std::uint64_t upToHere = 0;
    for (std::size_t i = 0; i < buckets; ++i) {
        upToHere += counts[i];
        if (upToHere > 0 && static_cast<double>(upToHere) >= wanted) return upperBoundOf(i);
    }
    return 0;
}

Histogram& Histogram::operator+=(const Histogram& other) {
    for (std::size_t i = 0; i < buckets; ++i) counts[i] += other.counts[i];
    return *this;
}

Histogram PublishedHistogram::read() const {
    Histogram now;
    for (std::size_t i = 0; i < Histogram::buckets; ++i) now.counts[i] = counts_[i].read();
    return now;
}

}  // namespace nio
