#include "sms_router/egress/ThrottleControl.h"

#include <gtest/gtest.h>

#include <vector>

namespace router {
namespace {

using namespace std::chrono_literals;

constexpr nio::TimePoint begin{1h};

// How many of `asked` requests, spread evenly, may leave in this time. The SMSC takes them all.
int sentWithin(ThrottleControl& throttle, nio::TimePoint from, nio::Clock::duration time,
               int asked) {
    int sent = 0;
    for (int i = 0; i < asked; ++i) {
        const nio::TimePoint now = from + time * i / asked;
        if (!throttle.take(now)) continue;
        throttle.accepted(now);
        ++sent;
    }
    return sent;
}

TEST(ThrottleControl, WithoutALimitEverythingLeavesAtOnce) {
    ThrottleControl throttle;
    for (int i = 0; i < 100'000; ++i) ASSERT_TRUE(throttle.take(begin));
    EXPECT_EQ(throttle.allowedPerSecond(), 0);
}

TEST(ThrottleControl, InTheLongRunItIsNeverMoreThanConfigured) {
    for (const double rate : {2.0, 10.0, 100.0, 1234.0}) {
        ThrottleControl throttle(rate);
        const int sent = sentWithin(throttle, begin, 20s, 200'000);
        EXPECT_LE(sent, 20 * rate + rate / 10 + 1) << rate;
        EXPECT_GE(sent, 20 * rate - 1) << rate;
    }
}

TEST(ThrottleControl, SaysUntilWhenItsRateStaysCut) {
    ThrottleControl throttle(100);
    EXPECT_FALSE(throttle.isLowered());
    for (int i = 0; i < 20; ++i) {
        throttle.throttled(begin + i * 1ms, begin + i * 1ms);
    }
    ASSERT_TRUE(throttle.isLowered());
    const nio::TimePoint raise = throttle.nextRaise();
    EXPECT_GT(raise, begin + 1s);
    EXPECT_EQ(throttle.at(raise - 1ms).allowedPerSecond(), throttle.allowedPerSecond());
    EXPECT_GT(throttle.at(raise).allowedPerSecond(), throttle.allowedPerSecond());
    EXPECT_FALSE(throttle.at(begin + 1h).isLowered()) << "nobody has to ask for that";
}

TEST(ThrottleControl, AtOnceLeavesATenthOfASecondsWorth) {
    ThrottleControl throttle(1000);
    int sent = 0;
    for (int i = 0; i < 5000; ++i) sent += throttle.take(begin) ? 1 : 0;
    EXPECT_GE(sent, 100);
    EXPECT_LE(sent, 101);
}

TEST(ThrottleControl, CountsTheMessagesOfARequestNotTheRequest) {
    ThrottleControl throttle(100);
    EXPECT_TRUE(throttle.take(begin, 250));
    EXPECT_FALSE(throttle.take(begin + 2s));
    EXPECT_TRUE(throttle.take(begin + 2500ms));
}

TEST(ThrottleControl, SavesUpNothingWhileNobodyAsks) {
    ThrottleControl throttle(1000);
    ASSERT_TRUE(throttle.take(begin));
    int sent = 0;
    for (int i = 0; i < 5000; ++i) sent += throttle.take(begin + 1h) ? 1 : 0;
    EXPECT_LE(sent, 101);
}

TEST(ThrottleControl, TellsWhenTheNextTryIsWorthIt) {
    ThrottleControl throttle(10);
    while (throttle.take(begin)) {
    }
    const nio::TimePoint next = throttle.next();
    EXPECT_GT(next, begin);
    EXPECT_LE(next, begin + 1s);
    EXPECT_FALSE(throttle.take(next - 1ns));
    EXPECT_TRUE(throttle.take(next));
}

// Everything is throttled.
void refuse(ThrottleControl& throttle, nio::TimePoint from, nio::Clock::duration time) {
    for (int i = 0; i < 100; ++i) {
        const nio::TimePoint now = from + time * i / 100;
        throttle.throttled(now, now);
    }
}

// As far as it goes; the last answer was at `begin`.
void cutAsFarAsItGoes(ThrottleControl& throttle) {
    for (int i = 20; i > 0; --i) refuse(throttle, begin - 2s * i, 2s);
}

TEST(ThrottleControl, AFewThrottledAnswersCutNothing) {
    ThrottleControl throttle(100);
    for (int i = 0; i < 100; ++i) {
        const nio::TimePoint now = begin + 10s * i;
        throttle.throttled(now, now);
        (void)sentWithin(throttle, now, 10s, 100);
        ASSERT_EQ(throttle.allowedPerSecond(), 100);
    }
}

TEST(ThrottleControl, CutsToWhatTheSmscHasTaken) {
    ThrottleControl throttle;
    EXPECT_EQ(sentWithin(throttle, begin, 2s, 400), 400);
    refuse(throttle, begin + 2s, 10ms);
    EXPECT_NEAR(throttle.allowedPerSecond(), 200 * 0.985, 2);
    EXPECT_LE(sentWithin(throttle, begin + 2s, 1s, 10'000), 197 + 20);
}

TEST(ThrottleControl, WhatWasSentBeforeACutCutsNoFurther) {
    ThrottleControl throttle;
    (void)sentWithin(throttle, begin, 2s, 400);
    refuse(throttle, begin + 2s, 10ms);
    const double cut = throttle.allowedPerSecond();
    for (int i = 0; i < 1000; ++i) throttle.throttled(begin + 2s, begin + 10s);
    refuse(throttle, begin + 2010ms, 900ms);
    EXPECT_DOUBLE_EQ(throttle.allowedPerSecond(), cut);
}

TEST(ThrottleControl, HalvesTheRateWhereNothingWasTaken) {
    for (const auto& [configured, first] : {std::pair(0.0, 45.0), {1000.0, 45.0}, {20.0, 18.0}}) {
        ThrottleControl throttle(configured);
        refuse(throttle, begin, 10ms);
        EXPECT_DOUBLE_EQ(throttle.allowedPerSecond(), first);
        refuse(throttle, begin + 1100ms, 10ms);
        EXPECT_DOUBLE_EQ(throttle.allowedPerSecond(), first / 2);
        refuse(throttle, begin + 2200ms, 10ms);
        EXPECT_DOUBLE_EQ(throttle.allowedPerSecond(), first / 4);
    }
}

TEST(ThrottleControl, OneASecondStillLeavesHoweverMuchIsThrottled) {
    ThrottleControl throttle(100);
    cutAsFarAsItGoes(throttle);
    EXPECT_GE(throttle.allowedPerSecond(), 1);
    EXPECT_LE(throttle.allowedPerSecond(), 4);
    ThrottleControl slow(0.1);
    cutAsFarAsItGoes(slow);
    EXPECT_DOUBLE_EQ(slow.allowedPerSecond(), 0.1);
}

TEST(ThrottleControl, ACutEndsWhatWasSavedUpAndForgivesNothing) {
    ThrottleControl throttle(1000);
    refuse(throttle, begin, 1ms);
    int sent = 0;
    for (int i = 0; i < 1000; ++i) sent += throttle.take(begin + 1ms) ? 1 : 0;
    EXPECT_LE(sent, 1);
    ThrottleControl slow(0.5);
    ASSERT_TRUE(slow.take(begin));
    refuse(slow, begin, 1ms);
    EXPECT_FALSE(slow.take(begin + 100ms));
}

TEST(ThrottleControl, WhatIsOwedIsPaidOffFasterAsTheRateRecovers) {
    ThrottleControl throttle(1000);
    cutAsFarAsItGoes(throttle);
    ASSERT_LE(throttle.allowedPerSecond(), 4);
    nio::TimePoint now = begin;
    while (!throttle.take(now, 254)) now += 1ms;
    while (!throttle.take(now)) {
        ASSERT_LE(throttle.next(), now + 3s) << "it is looked at again";
        now = std::max(throttle.next(), now + 1ms);
    }
    EXPECT_LT(now, begin + 30s);
}

TEST(ThrottleControl, RaisesSoftlyUpToWhatWasTakenThenFaster) {
    ThrottleControl throttle(1000);
    (void)sentWithin(throttle, begin, 2s, 400);
    refuse(throttle, begin + 2s, 1ms);
    const double cut = throttle.allowedPerSecond();
    double last = cut;
    int seconds = 0;
    for (; throttle.allowedPerSecond() < 1000; ++seconds) {
        (void)throttle.take(begin + 2s + 1s * seconds);
        const double now = throttle.allowedPerSecond();
        if (seconds < 15) {
            EXPECT_DOUBLE_EQ(now, cut);
        }
        EXPECT_LE(now, last * (last < 1.1 * 200 ? 1.0101 : 1.2001));
        last = now;
        ASSERT_LT(seconds, 60);
    }
    EXPECT_DOUBLE_EQ(last, 1000);
}

TEST(ThrottleControl, RecoversAlsoWhileNobodyAsks) {
    ThrottleControl throttle(100);
    cutAsFarAsItGoes(throttle);
    (void)throttle.take(begin + 1h);
    EXPECT_DOUBLE_EQ(throttle.allowedPerSecond(), 100);
}

TEST(ThrottleControl, ForgetsALearntLimitThatIsNotUsedUp) {
    ThrottleControl throttle;
    (void)sentWithin(throttle, begin, 2s, 400);
    refuse(throttle, begin + 2s, 1ms);
    ASSERT_GT(throttle.allowedPerSecond(), 0);
    (void)sentWithin(throttle, begin + 3s, 60s, 600);
    EXPECT_EQ(throttle.allowedPerSecond(), 0);
    (void)sentWithin(throttle, begin + 63s, 2s, 400);
    refuse(throttle, begin + 65s, 10ms);
    EXPECT_NEAR(throttle.allowedPerSecond(), 197, 4) << "learnt anew";
}

TEST(ThrottleControl, KeepsTheConfiguredRateUnlessItIsAdaptive) {
    for (const double configured : {0.0, 200.0}) {
        ThrottleControl control(configured, false);
        nio::TimePoint now{std::chrono::hours(1)};
        for (int i = 0; i < 10'000; ++i) {
            now += std::chrono::milliseconds(10);
            EXPECT_TRUE(control.take(now));
            control.throttled(now, now);
        }
        EXPECT_EQ(control.allowedPerSecond(), configured);
    }
}

}  // namespace
}  // namespace router
