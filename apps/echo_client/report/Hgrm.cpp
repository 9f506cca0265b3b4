#include "echo_client/report/LoadReport.h"

#include <cmath>
#include <cstdio>

namespace load {

using Duration = LatencyHistogram::Duration;

namespace {

constexpr double ticksPerHalf = 5;

template <class... Values>
std::string formatted(const char* format, Values... values) {
    char line[256];
    const int length = std::snprintf(line, sizeof line, format, values...);
    return {line, static_cast<std::size_t>(length)};
}

double millis(double nanoseconds) {
    return nanoseconds / 1e6;
}

double nanoseconds(Duration time) {
    return static_cast<double>(time.count());
}

// The percentiles that get a line: ever denser towards 100.
double after(double percent) {
    const double halves = std::floor(std::log2(100 / (100 - percent))) + 1;
    return percent + 100 / (ticksPerHalf * std::exp2(halves));
}

class Table {
  public:
    explicit Table(const LatencyHistogram& histogram) : histogram_(histogram) {}

    std::string lines() {
        const auto all = static_cast<double>(histogram_.count());
        std::uint64_t seen = 0;
        histogram_.forEach([&](Duration value, std::uint64_t times) {
            seen += times;
            const bool isLast = seen == histogram_.count();
            const double reached = 100 * static_cast<double>(seen) / all;
            if (isLast) value = histogram_.max();
            const bool isBeyond = isLast && histogram_.countBeyond() > 0;
            while (!isBeyond && percent_ <= reached) {
                add(value, seen);
                if (isLast) break;
            }
            if (isLast) last(value);
        });
        return std::move(text_);
    }

  private:
    void add(Duration value, std::uint64_t seen) {
        text_ +=
            formatted("%12.3f %2.12f %10llu %14.2f\n", millis(nanoseconds(value)), percent_ / 100,
                      static_cast<unsigned long long>(seen), 1 / (1 - percent_ / 100));
        percent_ = after(percent_);
    }
    void last(Duration value) {
        text_ += formatted("%12.3f %2.12f %10llu\n", millis(nanoseconds(value)), 1.0,
                           static_cast<unsigned long long>(histogram_.count()));
    }

    const LatencyHistogram& histogram_;
    double percent_ = 0;
    std::string text_;
};

double standardDeviation(const LatencyHistogram& histogram) {
    if (histogram.count() == 0) return 0;
    double sum = 0;
    const double mean = nanoseconds(histogram.mean());
    histogram.forEach([&](Duration value, std::uint64_t times) {
        const double distance = nanoseconds(value) - mean;
        sum += distance * distance * static_cast<double>(times);
    });
    return std::sqrt(sum / static_cast<double>(histogram.count()));
}

std::string footer(const LatencyHistogram& histogram) {
    return formatted("#[Mean    = %12.3f, StdDeviation   = %12.3f]\n",
                     millis(nanoseconds(histogram.mean())), millis(standardDeviation(histogram))) +
           formatted("#[Max     = %12.3f, Total count    = %12llu]\n",
                     millis(nanoseconds(histogram.max())),
                     static_cast<unsigned long long>(histogram.count())) +
           formatted("#[Buckets = %12zu, SubBuckets     = %12zu]\n", LatencyHistogram::groups,
                     LatencyHistogram::bucketsOfGroup);
}

}  // namespace

std::string toHgrm(const LatencyHistogram& histogram) {
    return formatted("%12s %14s %10s %14s\n\n", "Value", "Percentile", "TotalCount",
                     "1/(1-Percentile)") +
           Table(histogram).lines() + footer(histogram);
}

}  // namespace load
