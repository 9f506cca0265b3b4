#include "sms_router/routing/Shard.h"

#include <gtest/gtest.h>

namespace router {
namespace {

using namespace std::chrono_literals;

// The only bucket that this time is counted in.
std::size_t bucketOf(nio::Clock::duration time) {
    LatencyBuckets buckets;
    count(buckets, time);
    std::size_t found = LatencyBuckets::count;
    for (std::size_t i = 0; i < LatencyBuckets::count; ++i) {
        if (buckets.counts[i] == 0) continue;
        EXPECT_EQ(buckets.counts[i], 1u);
        EXPECT_EQ(found, LatencyBuckets::count) << "counted twice";
        found = i;
    }
    return found;
}

TEST(Latency, IsCountedInTheFirstBucketThatIsLonger) {
    EXPECT_EQ(bucketOf(0ns), 0u);
    EXPECT_EQ(bucketOf(999ns), 0u);
    EXPECT_EQ(bucketOf(1us), 1u);
    EXPECT_EQ(bucketOf(2us), 2u);
    EXPECT_EQ(bucketOf(3us), 2u);
    EXPECT_EQ(bucketOf(4us), 3u);
    EXPECT_EQ(bucketOf(1023us), 10u);
    EXPECT_EQ(bucketOf(1024us), 11u);
}

TEST(Latency, WhatIsLongerThanAllIsInTheLastBucket) {
    EXPECT_EQ(bucketOf(17s), 25u);
    EXPECT_EQ(bucketOf(24h * 365), 25u);
    EXPECT_EQ(bucketOf(nio::Clock::duration::max()), 25u);
}

TEST(Latency, AClockThatDisagreesCountsAsNothing) {
    EXPECT_EQ(bucketOf(-5s), 0u);
    LatencyBuckets buckets;
    count(buckets, -5s);
    EXPECT_EQ(buckets.sumMicroseconds, 0u);
}

TEST(Latency, TheSumIsInWholeMicroseconds) {
    LatencyBuckets buckets;
    count(buckets, 1500ns);
    count(buckets, 2ms);
    EXPECT_EQ(buckets.sumMicroseconds, 2001u);
    EXPECT_EQ(buckets.total(), 2u);
}

}  // namespace
}  // namespace router
