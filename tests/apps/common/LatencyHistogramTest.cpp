#include "common/LatencyHistogram.h"

#include <gtest/gtest.h>

#include <cmath>

namespace apps {
namespace {

using namespace std::chrono_literals;
using Duration = LatencyHistogram::Duration;

double relativeError(Duration got, Duration exact) {
    return std::abs(static_cast<double>((got - exact).count())) /
           static_cast<double>(exact.count());
}

using Buckets = std::vector<LatencyHistogram::Bucket>;

Buckets bucketsOf(const LatencyHistogram& histogram) {
    Buckets buckets;
    histogram.forEach(
        [&](Duration value, std::uint64_t times) { buckets.emplace_back(value, times); });
    return buckets;
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

TEST(LatencyHistogram, RemembersTheExtremesOfWhatIsBeyondItsRange) {
    LatencyHistogram histogram;
    histogram.record(1h);
    histogram.record(2h);
    EXPECT_EQ(histogram.count(), 2u);
    EXPECT_EQ(histogram.max(), 2h);
    EXPECT_EQ(histogram.min(), 1h);
}

TEST(LatencyHistogram, KnowsNoMoreOfAPercentileBeyondItsRange) {
    LatencyHistogram histogram;
    histogram.recordTimes(1s, 98);
    histogram.record(60s);
    histogram.record(70s);
    EXPECT_EQ(histogram.percentile(99), 60s);
    EXPECT_EQ(histogram.percentile(99.5), LatencyHistogram::beyond);
    EXPECT_EQ(histogram.percentile(100), LatencyHistogram::beyond);
    EXPECT_EQ(histogram.percentile(100, 1), LatencyHistogram::never);
    EXPECT_EQ(histogram.countBeyond(), 1u);
    EXPECT_EQ(histogram.max(), 70s);
}

TEST(LatencyHistogram, TakesNothingJustAbove60SecondsForThem) {
    LatencyHistogram histogram;
    histogram.record(60s + 1ns);
    EXPECT_EQ(histogram.percentile(50), LatencyHistogram::beyond);
    histogram.recordTimes(60s, 2);
    EXPECT_EQ(histogram.percentile(50), 60s);
}

TEST(LatencyHistogram, TellsOneBucketBeyondItsRangeByTheMaximum) {
    LatencyHistogram one;
    one.record(61s);
    LatencyHistogram other;
    other.record(2h);
    one.merge(other);
    EXPECT_EQ(bucketsOf(one), (Buckets{{2h, 2}}));
    EXPECT_EQ(one.percentile(1), LatencyHistogram::beyond);
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

TEST(LatencyHistogram, KnowsTheMeanExactly) {
    LatencyHistogram histogram;
    EXPECT_EQ(histogram.mean(), 0ns);
    histogram.record(1'000'001ns);
    histogram.recordTimes(3h, 2);
    EXPECT_EQ(histogram.mean(), (6h + 1'000'001ns) / 3);
}

TEST(LatencyHistogram, RecordsTheSameLatencyManyTimesAtOnce) {
    LatencyHistogram one;
    for (int i = 0; i < 70; ++i) one.record(40us);
    LatencyHistogram other;
    other.recordTimes(40us, 70);
    EXPECT_EQ(one, other);
}

TEST(LatencyHistogram, StaysEmptyWhenALatencyIsRecordedNoTimes) {
    LatencyHistogram histogram;
    histogram.recordTimes(40us, 0);
    EXPECT_EQ(histogram, LatencyHistogram());
}

TEST(LatencyHistogram, TellsItsBucketsInOrderByTheLargestLatencyInThem) {
    LatencyHistogram histogram;
    histogram.record(20'000ns);
    histogram.record(20'015ns);
    histogram.record(20'016ns);
    histogram.record(7ns);
    EXPECT_EQ(bucketsOf(histogram), (Buckets{{7ns, 1}, {20'015ns, 2}, {20'031ns, 1}}));
    EXPECT_EQ(bucketsOf({}), Buckets());
}

TEST(LatencyHistogram, CountsWhatIsAboveALatencyToThreeDigits) {
    LatencyHistogram histogram;
    for (int i = 1; i <= 100; ++i) histogram.record(i * 1ms);
    EXPECT_EQ(histogram.countAbove(1ms), 99u);
    EXPECT_EQ(histogram.countAbove(50ms), 50u);
    EXPECT_EQ(histogram.countAbove(100ms), 0u);
    EXPECT_EQ(histogram.countAbove(-1ns), 100u);
    EXPECT_EQ(LatencyHistogram().countAbove(1ms), 0u);
}

TEST(LatencyHistogram, IsRestoredFromItsBucketsAndExactFigures) {
    LatencyHistogram histogram;
    for (Duration latency = 1us; latency <= 100s; latency += latency / 3) histogram.record(latency);
    const auto restored = LatencyHistogram::restore(bucketsOf(histogram), histogram.min(),
                                                    histogram.max(), histogram.sumNanoseconds());
    EXPECT_EQ(restored, histogram);
    EXPECT_EQ(LatencyHistogram::restore({}, 0ns, 0ns, 0), LatencyHistogram());
}

TEST(LatencyHistogram, IsNotRestoredFromWhatNoHistogramTells) {
    const auto restore = LatencyHistogram::restore;
    EXPECT_TRUE(restore({{20'015ns, 2}}, 20'000ns, 20'010ns, 40'010));
    EXPECT_FALSE(restore({{20'014ns, 2}}, 20'000ns, 20'010ns, 40'010)) << "no edge";
    EXPECT_FALSE(restore({{20'015ns, 0}}, 20'000ns, 20'010ns, 40'010)) << "an empty bucket";
    EXPECT_FALSE(restore({{20'015ns, 1}, {20'015ns, 1}}, 20'000ns, 20'010ns, 40'010)) << "order";
    EXPECT_FALSE(restore({{20'015ns, 2}}, 19'999ns, 20'010ns, 40'010)) << "the least elsewhere";
    EXPECT_FALSE(restore({{20'015ns, 2}}, 20'000ns, 20'016ns, 40'010)) << "the most elsewhere";
    EXPECT_FALSE(restore({{20'015ns, 2}}, 20'010ns, 20'000ns, 40'010)) << "least above most";
    EXPECT_FALSE(restore({{20'015ns, 2}}, 20'000ns, 20'010ns, 39'999)) << "too small a sum";
    EXPECT_FALSE(restore({{20'015ns, 2}}, 20'000ns, 20'010ns, 40'021)) << "too large a sum";
    EXPECT_FALSE(restore({{20'015ns, 1ULL << 60}}, 20'000ns, 20'010ns, 40'010)) << "too many";
    EXPECT_FALSE(restore({{61s, 1}}, 61s, 62s, 61'000'000'000)) << "beyond, but not the most";
    EXPECT_FALSE(restore({{61s, 1}, {62s, 1}}, 61s, 62s, 123'000'000'000)) << "two beyond";
    EXPECT_FALSE(restore({}, 0ns, 1ns, 1)) << "nothing, but of some length";
    EXPECT_FALSE(restore({{-1ns, 1}}, -1ns, -1ns, 0)) << "negative";
}

}  // namespace
}  // namespace apps
