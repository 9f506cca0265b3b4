#include "sms_router/model/Snapshot.h"

#include <gtest/gtest.h>

namespace {

using router::LatencyBuckets;

TEST(LatencyBuckets, WithoutAnythingCountedSayNothing) {
    const LatencyBuckets none;
    EXPECT_EQ(none.total(), 0U);
    EXPECT_EQ(none.percentile(0.5), 0U);
}

TEST(LatencyBuckets, APercentileIsTheBoundOfTheBucketWhereItLies) {
    LatencyBuckets buckets;
    buckets.counts[3] = 98;
    buckets.counts[10] = 1;
    buckets.counts[20] = 1;
    EXPECT_EQ(buckets.total(), 100U);
    EXPECT_EQ(buckets.percentile(0), 8U);
    EXPECT_EQ(buckets.percentile(0.5), 8U);
    EXPECT_EQ(buckets.percentile(0.98), 8U);
    EXPECT_EQ(buckets.percentile(0.985), 1024U);
    EXPECT_EQ(buckets.percentile(0.99), 1024U);
    EXPECT_EQ(buckets.percentile(0.991), 1048576U);
    EXPECT_EQ(buckets.percentile(1), 1048576U);
    EXPECT_EQ(buckets.percentile(7), 1048576U);
}

TEST(LatencyBuckets, TheLastBucketHasNoUpperBound) {
    LatencyBuckets buckets;
    buckets.counts.back() = 1;
    EXPECT_EQ(buckets.percentile(0.5), std::nullopt);
}

TEST(LatencyBuckets, AreAddedBucketByBucket) {
    LatencyBuckets a, b;
    a.counts[1] = 1;
    b.counts[1] = 2;
    b.counts[25] = 3;
    a.sumMicroseconds = 10;
    b.sumMicroseconds = 20;
    a += b;
    EXPECT_EQ(a.counts[1], 3U);
    EXPECT_EQ(a.counts[25], 3U);
    EXPECT_EQ(a.sumMicroseconds, 30U);
    EXPECT_EQ(a.total(), 6U);
}

TEST(StatusCounts, HaveALimitOfWhichTheRestIsTheOthers) {
    router::StatusCounts counts;
    for (std::uint32_t i = 0; i < router::StatusCounts::most + 3; ++i) {
        counts.of(smpp::Status(0x400 + i)) += 2;
    }
    ++counts.of(smpp::Status(0x400));
    EXPECT_EQ(counts.counts().size(), router::StatusCounts::most);
    EXPECT_EQ(counts.counts().at(smpp::Status(0x400)), 3U);
    EXPECT_EQ(counts.others(), 6U);
}

TEST(StatusCounts, ASumCountsNothingAsOthersAnew) {
    router::StatusCounts one, other;
    for (std::uint32_t i = 0; i < router::StatusCounts::most; ++i) {
        ++one.of(smpp::Status(0x480 + i));
        if (i > 0) ++other.of(smpp::Status(0x400 + i));
    }
    router::StatusCounts before = one;
    before += other;
    ++other.of(smpp::Status(0x400));  // is read before those that the sum knew
    router::StatusCounts after = one;
    after += other;
    EXPECT_EQ(before.counts().size(), 2 * router::StatusCounts::most - 1);
    for (const auto& [status, count] : before.counts()) {
        EXPECT_GE(after.counts().at(status), count);
    }
    EXPECT_EQ(after.counts().size(), 2 * router::StatusCounts::most);
    EXPECT_EQ(after.others(), 0U);
}

}  // namespace
