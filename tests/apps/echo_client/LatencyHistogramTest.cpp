#include "echo_client/LatencyHistogram.h"

#include <gtest/gtest.h>

#include <cmath>

namespace load {
namespace {

using namespace std::chrono_literals;
using Duration = LatencyHistogram::Duration;

double relativeError(Duration got, Duration exact) {
    return std::abs(static_cast<double>((got - exact).count())) /
           static_cast<double>(exact.count());
}

TEST(LatencyHistogram, IsZeroEverywhereWhileItIsEmpty) {
    const LatencyHistogram histogram;
    EXPECT_EQ(histogram.count(), 0u);
    EXPECT_EQ(histogram.min(), 0ns);
    EXPECT_EQ(histogram.max(), 0ns);
    EXPECT_EQ(histogram.percentile(50), 0ns);
}

TEST(LatencyHistogram, GivesBackASingleLatencyExactly) {
    LatencyHistogram histogram;
    histogram.record(123'456'789ns);
    for (const double percent : {0.0, 50.0, 99.9, 100.0}) {
        EXPECT_EQ(histogram.percentile(percent), 123'456'789ns) << percent;
    }
}

TEST(LatencyHistogram, FindsThePercentilesOfAThousandLatencies) {
    LatencyHistogram histogram;
    for (int i = 1000; i >= 1; --i) histogram.record(Duration(i));
    EXPECT_EQ(histogram.count(), 1000u);
    EXPECT_EQ(histogram.min(), 1ns);
    EXPECT_EQ(histogram.percentile(50), 500ns);
    EXPECT_EQ(histogram.percentile(90), 900ns);
    EXPECT_EQ(histogram.percentile(99), 990ns);
    EXPECT_EQ(histogram.percentile(99.9), 999ns);
    EXPECT_EQ(histogram.max(), 1000ns);
}

TEST(LatencyHistogram, KeepsThreeDigitsOverTheWholeRange) {
    for (Duration latency = 1us; latency <= 60s; latency += latency / 97 + 1ns) {
        LatencyHistogram histogram;
        histogram.record(1ns);
        histogram.record(latency);
        histogram.record(60s);
        EXPECT_LE(relativeError(histogram.percentile(50), latency), 0.001) << latency.count();
    }
}

TEST(LatencyHistogram, NeverSaysMoreThanTheLargestOne) {
    LatencyHistogram histogram;
    histogram.record(1us);
    histogram.record(1'000'001ns);
    EXPECT_EQ(histogram.percentile(99), 1'000'001ns);
}

TEST(LatencyHistogram, CountsWhatIsTooLongAsTheLongestButRemembersIt) {
    LatencyHistogram histogram;
    histogram.record(1h);
    histogram.record(2h);
    EXPECT_EQ(histogram.count(), 2u);
    EXPECT_EQ(histogram.max(), 2h);
    EXPECT_EQ(histogram.min(), 1h);
}

TEST(LatencyHistogram, CountsANegativeOneAsZero) {
    LatencyHistogram histogram;
    histogram.record(-5ns);
    EXPECT_EQ(histogram.min(), 0ns);
    EXPECT_EQ(histogram.max(), 0ns);
    EXPECT_EQ(histogram.count(), 1u);
}

TEST(LatencyHistogram, MergesAsIfAllHadBeenRecordedInOne) {
    LatencyHistogram all;
    LatencyHistogram odd;
    LatencyHistogram even;
    for (int i = 1; i <= 5000; ++i) {
        const Duration latency(i * 977);
        all.record(latency);
        (i % 2 == 0 ? even : odd).record(latency);
    }
    LatencyHistogram merged;
    merged.merge(odd);
    merged.merge(even);
    merged.merge(LatencyHistogram());
    EXPECT_EQ(merged.count(), all.count());
    EXPECT_EQ(merged.min(), all.min());
    EXPECT_EQ(merged.max(), all.max());
    for (double percent = 0; percent <= 100; percent += 0.7) {
        EXPECT_EQ(merged.percentile(percent), all.percentile(percent)) << percent;
    }
}

}  // namespace
}  // namespace load
