#include "sms_router/smsc/ThrottleControl.h"

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

// Complains again and again; the last time at `begin`.
void cutAsFarAsItGoes(ThrottleControl& throttle) {
    for (int i = 10; i >= 0; --i) throttle.throttled(begin - 1s * i);
}

TEST(ThrottleControl, WhatIsOwedIsPaidOffFasterAsTheRateRecovers) {
    ThrottleControl throttle(1000);
    cutAsFarAsItGoes(throttle);
    ASSERT_EQ(throttle.allowedPerSecond(), 1);
    ASSERT_TRUE(throttle.take(begin + 1s, 254));
    nio::TimePoint now = begin + 1s;
    while (!throttle.take(now)) {
        ASSERT_LE(throttle.next(), now + 1s) << "it is looked at again";
        now = std::max(throttle.next(), now + 1ms);
    }
    EXPECT_LT(now, begin + 30s);
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

// Has sent as much as it may for so long.
void busy(ThrottleControl& throttle, nio::TimePoint from, int seconds) {
    (void)sentWithin(throttle, from, 1s * seconds, 2000 * seconds);
}

TEST(ThrottleControl, AComplaintCutsTheRate) {
    ThrottleControl throttle(100);
    busy(throttle, begin, 3);
    throttle.throttled(begin + 3s);
    EXPECT_NEAR(throttle.allowedPerSecond(), 90, 2);
    EXPECT_LE(sentWithin(throttle, begin + 3s, 900ms, 10'000), 83 + 10);
}

TEST(ThrottleControl, WhatTheSmscHasTakenCountsNotWhatWasSent) {
    ThrottleControl throttle(1000);
    for (int i = 0; i < 500; ++i) {
        const nio::TimePoint now = begin + 1ms * i;
        ASSERT_TRUE(throttle.take(now));
        if (i % 10 == 0) throttle.accepted(now);
    }
    throttle.throttled(begin + 500ms);
    EXPECT_DOUBLE_EQ(throttle.allowedPerSecond(), 45);
}

TEST(ThrottleControl, AllComplaintsOfOneSecondAreOne) {
    ThrottleControl throttle(100);
    busy(throttle, begin, 3);
    const nio::TimePoint first = begin + 3s;
    throttle.throttled(first);
    const double cut = throttle.allowedPerSecond();
    EXPECT_NEAR(cut, 90, 2);
    busy(throttle, first, 1);
    for (int i = 0; i < 50; ++i) throttle.throttled(first + 10ms * i);
    throttle.throttled(first + 999ms);
    EXPECT_DOUBLE_EQ(throttle.allowedPerSecond(), cut);
    throttle.throttled(first + 1s);
    EXPECT_NEAR(throttle.allowedPerSecond(), cut * 0.9, 2);
}

TEST(ThrottleControl, HoweverOftenItComplainsOneASecondStillLeaves) {
    ThrottleControl throttle(100);
    for (int i = 0; i < 60; ++i) {
        busy(throttle, begin + 1s * i, 1);
        throttle.throttled(begin + 1s * (i + 1));
        EXPECT_GE(throttle.allowedPerSecond(), 1);
    }
    EXPECT_LE(throttle.allowedPerSecond(), 12);
    EXPECT_GE(sentWithin(throttle, begin + 60s, 1s, 1000), 1);
}

TEST(ThrottleControl, AComplaintNeverRaisesARateBelowOneASecond) {
    ThrottleControl throttle(0.1);
    for (int i = 0; i < 10; ++i) {
        busy(throttle, begin + 10s * i, 1);
        throttle.throttled(begin + 10s * i + 1s);
        EXPECT_LE(throttle.allowedPerSecond(), 0.1);
    }
}

TEST(ThrottleControl, WhatWasSavedUpIsGoneWithAComplaint) {
    ThrottleControl throttle(1000);
    throttle.throttled(begin);
    int sent = 0;
    for (int i = 0; i < 1000; ++i) sent += throttle.take(begin) ? 1 : 0;
    EXPECT_LE(sent, 1);
}

TEST(ThrottleControl, WhatWasOwedIsNotForgivenWithAComplaint) {
    ThrottleControl throttle(0.5);
    ASSERT_TRUE(throttle.take(begin));
    throttle.throttled(begin);
    EXPECT_FALSE(throttle.take(begin + 100ms));
}

TEST(ThrottleControl, RecoversStepByStepUpToWhatIsConfigured) {
    ThrottleControl throttle(100);
    busy(throttle, begin, 2);
    throttle.throttled(begin + 2s);
    double last = throttle.allowedPerSecond();
    for (int second = 1; second <= 20; ++second) {
        (void)throttle.take(begin + 1s * (second + 2));
        const double now = throttle.allowedPerSecond();
        EXPECT_GE(now, last);
        EXPECT_LE(now, last * 1.2 + 1.001);
        EXPECT_LE(now, 100);
        last = now;
    }
    EXPECT_DOUBLE_EQ(last, 100);
}

TEST(ThrottleControl, RaisesOnceASecondAtMost) {
    ThrottleControl throttle(100);
    busy(throttle, begin, 3);
    const nio::TimePoint first = begin + 3s;
    throttle.throttled(first);
    const double cut = throttle.allowedPerSecond();
    for (int i = 0; i < 1000; ++i) (void)throttle.take(first + 999us * i);
    EXPECT_DOUBLE_EQ(throttle.allowedPerSecond(), cut);
    for (int i = 0; i < 1000; ++i) (void)throttle.take(first + 1s);
    EXPECT_NEAR(throttle.allowedPerSecond(), cut * 1.05 + 1, 1e-9);
}

TEST(ThrottleControl, RecoversAlsoWhileNobodyAsks) {
    ThrottleControl throttle(100);
    cutAsFarAsItGoes(throttle);
    ASSERT_DOUBLE_EQ(throttle.allowedPerSecond(), 1);
    (void)throttle.take(begin + 3s);
    EXPECT_NEAR(throttle.allowedPerSecond(), ((1 * 1.05 + 1) * 1.05 + 1) * 1.05 + 1, 1e-9);
    (void)throttle.take(begin + 1h);
    EXPECT_DOUBLE_EQ(throttle.allowedPerSecond(), 100);
}

TEST(ThrottleControl, WithoutAConfiguredLimitTheComplaintSetsOne) {
    ThrottleControl throttle;
    EXPECT_EQ(sentWithin(throttle, begin, 999ms, 200), 200);
    throttle.throttled(begin + 999ms);
    EXPECT_DOUBLE_EQ(throttle.allowedPerSecond(), 180);
}

TEST(ThrottleControl, WhatWasTakenWhileHardlyAnythingWasOfferedIsNoMeasure) {
    ThrottleControl throttle;
    throttle.throttled(begin);
    EXPECT_DOUBLE_EQ(throttle.allowedPerSecond(), 45);
    EXPECT_EQ(sentWithin(throttle, begin, 900ms, 10), 10);
    throttle.throttled(begin + 1s);
    EXPECT_DOUBLE_EQ(throttle.allowedPerSecond(), 22.5) << "a second complaint halves it at most";
}

TEST(ThrottleControl, WithAConfiguredLimitItIsNoMeasureEither) {
    for (const auto& [configured, left] : {std::pair(1000.0, 45.0), {20.0, 18.0}, {0.5, 0.5}}) {
        ThrottleControl throttle(configured);
        throttle.throttled(begin);
        EXPECT_DOUBLE_EQ(throttle.allowedPerSecond(), left);
    }
}

TEST(ThrottleControl, ComplaintsAboutNothingHalveTheRate) {
    ThrottleControl throttle(1000);
    busy(throttle, begin, 3);
    throttle.throttled(begin + 3s);
    ASSERT_NEAR(throttle.allowedPerSecond(), 900, 10);
    const double cut = throttle.allowedPerSecond();
    throttle.throttled(begin + 10s);
    EXPECT_DOUBLE_EQ(throttle.allowedPerSecond(), cut / 2);
    throttle.throttled(begin + 20s);
    EXPECT_DOUBLE_EQ(throttle.allowedPerSecond(), cut / 4);
}

TEST(ThrottleControl, TheBusierOfTheLastTwoSecondsCounts) {
    ThrottleControl throttle;
    EXPECT_EQ(sentWithin(throttle, begin, 999ms, 200), 200);
    throttle.accepted(begin + 1s);
    throttle.throttled(begin + 1001ms);
    EXPECT_DOUBLE_EQ(throttle.allowedPerSecond(), 180);
}

TEST(ThrottleControl, ForgetsALearntLimitOnceTwiceAsMuchIsAllowed) {
    ThrottleControl throttle;
    EXPECT_EQ(sentWithin(throttle, begin, 999ms, 200), 200);
    throttle.throttled(begin + 999ms);
    int second = 1;
    for (; throttle.allowedPerSecond() > 0 && second < 100; ++second) {
        EXPECT_LE(throttle.allowedPerSecond(), 400);
        (void)throttle.take(begin + 1s * (second + 1));
    }
    EXPECT_EQ(throttle.allowedPerSecond(), 0);
    // 180, 190, 200.5, … 400 and over.
    EXPECT_GE(second, 12);
    EXPECT_LE(second, 20);
}

TEST(ThrottleControl, ALimitThatWasForgottenIsLearntAnew) {
    ThrottleControl throttle;
    EXPECT_EQ(sentWithin(throttle, begin, 999ms, 200), 200);
    throttle.throttled(begin + 999ms);
    for (int second = 2; second < 60; ++second) (void)throttle.take(begin + 1s * second);
    ASSERT_EQ(throttle.allowedPerSecond(), 0);
    EXPECT_EQ(sentWithin(throttle, begin + 60s, 999ms, 50), 50);
    throttle.throttled(begin + 60s + 999ms);
    EXPECT_DOUBLE_EQ(throttle.allowedPerSecond(), 45);
}

TEST(ThrottleControl, AConfiguredLimitIsNeverForgotten) {
    ThrottleControl throttle(10);
    throttle.throttled(begin);
    for (int second = 1; second < 1000; ++second) (void)throttle.take(begin + 1s * second);
    EXPECT_DOUBLE_EQ(throttle.allowedPerSecond(), 10);
}

TEST(ThrottleControl, AnotherConfigurationBeginsAnew) {
    ThrottleControl throttle(100);
    throttle.throttled(begin);
    throttle.configure(50);
    EXPECT_DOUBLE_EQ(throttle.allowedPerSecond(), 50);
    throttle.configure(0);
    EXPECT_DOUBLE_EQ(throttle.allowedPerSecond(), 0);
    EXPECT_TRUE(throttle.take(begin));
}

TEST(ThrottleControl, EachComplaintCutsAlsoWhereManyAnswersCameAtOnce) {
    ThrottleControl throttle(20);
    throttle.accepted(begin, 40);
    throttle.throttled(begin);
    EXPECT_DOUBLE_EQ(throttle.allowedPerSecond(), 18);
    throttle.accepted(begin + 2s, 40);
    throttle.throttled(begin + 2s);
    EXPECT_LT(throttle.allowedPerSecond(), 18);
}

}  // namespace
}  // namespace router
