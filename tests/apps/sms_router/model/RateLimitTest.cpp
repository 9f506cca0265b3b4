#include "sms_router/model/RateLimit.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

namespace router {
namespace {

using namespace std::chrono_literals;

constexpr nio::TimePoint start{1h};

int allowedOf(RateLimit& limit, nio::TimePoint now, int messages) {
    int allowed = 0;
    for (int i = 0; i < messages; ++i) allowed += limit.allow(now) ? 1 : 0;
    return allowed;
}

TEST(RateLimit, AllowsABurstOfOneSecondsWorth) {
    RateLimit limit(10);
    EXPECT_EQ(allowedOf(limit, start, 100), 10);
}

TEST(RateLimit, AllowsAnotherMessageWhenOneIsPaidOff) {
    RateLimit limit(10);
    EXPECT_EQ(allowedOf(limit, start, 100), 10);
    EXPECT_FALSE(limit.allow(start + 99ms));
    EXPECT_TRUE(limit.allow(start + 100ms));
    EXPECT_FALSE(limit.allow(start + 100ms));
    EXPECT_EQ(allowedOf(limit, start + 1100ms, 100), 10);
}

TEST(RateLimit, SavesUpNoMoreThanTheBurst) {
    RateLimit limit(10);
    EXPECT_EQ(allowedOf(limit, start, 100), 10);
    EXPECT_EQ(allowedOf(limit, start + 10h, 100), 10);
}

TEST(RateLimit, AllowsAtLeastOneMessageHoweverSlowItIs) {
    RateLimit limit(0.5);
    EXPECT_EQ(allowedOf(limit, start, 100), 1);
    EXPECT_FALSE(limit.allow(start + 1999ms));
    EXPECT_TRUE(limit.allow(start + 2s));
    RateLimit slow(1e-300);
    EXPECT_EQ(allowedOf(slow, start, 100), 1);
    EXPECT_FALSE(slow.allow(start + 23h));
}

TEST(RateLimit, OfZeroIsNone) {
    RateLimit limit;
    EXPECT_EQ(allowedOf(limit, start, 1'000), 1'000);
}

TEST(RateLimit, ChargesNothingForWhatItRefuses) {
    RateLimit limit(1);
    EXPECT_TRUE(limit.allow(start));
    EXPECT_EQ(allowedOf(limit, start + 500ms, 100), 0);
    EXPECT_TRUE(limit.allow(start + 1s));
}

TEST(RateLimit, CountsEveryMessageOfOneCall) {
    RateLimit limit(10);
    EXPECT_TRUE(limit.allow(start, 8));
    EXPECT_FALSE(limit.allow(start, 3));
    EXPECT_TRUE(limit.allow(start, 2));
}

TEST(RateLimit, AllowsMoreThanTheBurstAtOnceAndHasItPaidOff) {
    RateLimit limit(10);
    EXPECT_TRUE(limit.allow(start, 50));
    EXPECT_FALSE(limit.allow(start + 4s));
    EXPECT_TRUE(limit.allow(start + 4100ms));
    EXPECT_FALSE(limit.allow(start + 4100ms, 50)) << "something is owed";
}

TEST(RateLimit, WithAnotherRateKeepsWhatIsOwed) {
    RateLimit limit(10);
    EXPECT_EQ(allowedOf(limit, start, 100), 10);
    limit.setRate(20, start);
    EXPECT_EQ(allowedOf(limit, start, 100), 10) << "ten messages are owed, of twenty";
    EXPECT_EQ(allowedOf(limit, start + 1s, 100), 20);
    limit.setRate(0, start + 1s);
    EXPECT_EQ(allowedOf(limit, start + 1s, 100), 100);
}

TEST(RateLimit, WithAHigherRateIsPaidOffSooner) {
    RateLimit limit(0.1);
    EXPECT_TRUE(limit.allow(start, 200));
    limit.setRate(100, start);
    EXPECT_FALSE(limit.allow(start));
    EXPECT_EQ(allowedOf(limit, start + 1s, 1), 0);
    EXPECT_EQ(allowedOf(limit, start + 2s, 1'000), 100);
}

TEST(RateLimit, WithoutALimitForgetsWhatIsOwed) {
    RateLimit limit(0.1);
    EXPECT_TRUE(limit.allow(start, 200));
    limit.setRate(0, start);
    limit.setRate(1, start);
    EXPECT_EQ(allowedOf(limit, start, 10), 1);
}

TEST(RateLimit, WithALowerRateIsPaidOffLater) {
    RateLimit limit(1'000'000);
    EXPECT_TRUE(limit.allow(start, 60'000));
    limit.setRate(1e-300, start);
    EXPECT_FALSE(limit.allow(start + 24h * 59'999));
    EXPECT_TRUE(limit.allow(start + 24h * 60'001));
}

TEST(RateLimit, AllowsNeverMoreThanTheRateAndTheBurst) {
    for (const double rate : {0.3, 1.0, 2.7, 3.0, 7.0, 333.0, 700'000.0, 999'999.0}) {
        RateLimit limit(rate);
        const auto step = std::chrono::nanoseconds(static_cast<long>(1e9 / rate / 7) + 1);
        nio::TimePoint now = start;
        long allowed = 0;
        for (int i = 0; i < 20'000; ++i, now += step) {
            while (limit.allow(now)) ++allowed;
            const double seconds = std::chrono::duration<double>(now - start).count();
            ASSERT_LE(static_cast<double>(allowed), rate * seconds + std::max(1.0, rate) + 1e-6);
        }
        const double seconds = std::chrono::duration<double>(now - start).count();
        EXPECT_GE(static_cast<double>(allowed), rate * seconds * 0.998) << rate;
    }
}

TEST(RateLimit, HoldsAcrossThreads) {
    constexpr int threads = 4;
    constexpr int rounds = 50'000;
    RateLimit limit(1'000);
    // Each call takes the next microsecond: time goes on as the threads do.
    std::atomic<int> ticks{0};
    std::atomic<int> allowed{0};
    std::vector<std::thread> crew;
    for (int i = 0; i < threads; ++i) {
        crew.emplace_back([&] {
            for (int round = 0; round < rounds; ++round) {
                const auto now = start + std::chrono::microseconds(ticks.fetch_add(1));
                if (limit.allow(now)) allowed.fetch_add(1);
            }
        });
    }
    for (std::thread& thread : crew) thread.join();
    // 200 ms have passed, and one second's worth was there.
    EXPECT_LE(allowed, 1'200);
    EXPECT_GE(allowed, 1'000);
}

}  // namespace
}  // namespace router
