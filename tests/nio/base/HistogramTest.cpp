#include <nio/base/Histogram.h>

#include <gtest/gtest.h>

namespace {

using nio::Histogram;
using nio::PublishedHistogram;

TEST(Histogram, PutsAValueIntoTheBucketOfItsPowerOfTwo) {
    EXPECT_EQ(Histogram::bucketOf(0), 0U);
    EXPECT_EQ(Histogram::bucketOf(1), 1U);
    EXPECT_EQ(Histogram::bucketOf(2), 2U);
    EXPECT_EQ(Histogram::bucketOf(3), 2U);
    EXPECT_EQ(Histogram::bucketOf(4), 3U);
    EXPECT_EQ(Histogram::bucketOf(1023), 10U);
    EXPECT_EQ(Histogram::bucketOf(1024), 11U);
    EXPECT_EQ(Histogram::bucketOf(UINT64_MAX), Histogram::buckets - 1);
}

TEST(Histogram, EachValueLiesBetweenTheBoundsOfItsBucket) {
    for (std::uint64_t value = 1; value < 100'000; value = value * 3 / 2 + 1) {
        const std::size_t bucket = Histogram::bucketOf(value);
        EXPECT_LT(static_cast<double>(value), Histogram::upperBoundOf(bucket));
        EXPECT_GE(static_cast<double>(value), Histogram::upperBoundOf(bucket - 1));
    }
}

TEST(Histogram, TellsTheBoundBelowWhichAPartOfTheValuesIs) {
    PublishedHistogram published;
    EXPECT_EQ(published.read().percentile(0.5), 0);
    for (int i = 0; i < 99; ++i) published.count(100);
    published.count(5000);
    const Histogram now = published.read();
    EXPECT_EQ(now.total(), 100U);
    EXPECT_EQ(now.percentile(0.5), 128);
    EXPECT_EQ(now.percentile(0.99), 128);
    EXPECT_EQ(now.percentile(1), 8192);
}

TEST(Histogram, AddsUp) {
    PublishedHistogram published;
    published.count(7);
    Histogram sum = published.read();
    sum += published.read();
    EXPECT_EQ(sum.total(), 2U);
    EXPECT_EQ(sum.counts[3], 2U);
}

}  // namespace
