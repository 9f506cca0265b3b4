#include "sms_router/egress/Backoff.h"

#include <gtest/gtest.h>

#include <set>
#include <vector>

namespace router {
namespace {

using namespace std::chrono_literals;

std::vector<Backoff::Duration> pauses(Backoff& backoff, int count) {
    std::vector<Backoff::Duration> all;
    for (int i = 0; i < count; ++i) all.push_back(backoff.next());
    return all;
}

TEST(Backoff, IsBetweenHalfOfTheStepAndAllOfIt) {
    for (std::uint32_t seed = 1; seed <= 50; ++seed) {
        Backoff backoff(500ms, 60s, seed);
        Backoff::Duration step = 500ms;
        for (int tries = 0; tries < 30; ++tries) {
            const Backoff::Duration pause = backoff.next();
            EXPECT_LE(pause, step) << seed << ", " << tries;
            EXPECT_GE(pause, step / 2) << seed << ", " << tries;
            step = std::min<Backoff::Duration>(step * 2, 60s);
        }
    }
}

TEST(Backoff, StaysWithinTheMaximumForEver) {
    Backoff backoff(500ms, 60s, 7);
    for (int i = 0; i < 100'000; ++i) {
        const Backoff::Duration pause = backoff.next();
        ASSERT_LE(pause, 60s);
        ASSERT_GT(pause, 0ms);
    }
}

TEST(Backoff, LongPausesDoNotOverflow) {
    Backoff backoff(24h, 24h, 7);
    for (const Backoff::Duration pause : pauses(backoff, 100)) {
        EXPECT_LE(pause, 24h);
        EXPECT_GE(pause, 12h);
    }
}

TEST(Backoff, AMaximumBelowTheFirstStepCounts) {
    Backoff backoff(10s, 1s, 7);
    EXPECT_LE(backoff.next(), 1s);
}

TEST(Backoff, AfterItWentWellItBeginsAtTheFirstStep) {
    Backoff backoff(500ms, 60s, 7);
    (void)pauses(backoff, 10);
    backoff.reset();
    EXPECT_LE(backoff.next(), 500ms);
    EXPECT_GE(backoff.next(), 500ms);
}

TEST(Backoff, ThoseThatBeganTogetherPauseDifferently) {
    std::set<Backoff::Duration> firsts;
    for (std::uint32_t seed = 2; seed < 22; ++seed) firsts.insert(Backoff(60s, 60s, seed).next());
    EXPECT_GT(firsts.size(), 15u);
}

TEST(Backoff, TheSameBackoffDoesNotRepeatItsJitter) {
    Backoff backoff(60s, 60s, 7);
    const std::vector<Backoff::Duration> all = pauses(backoff, 50);
    EXPECT_GT(std::set<Backoff::Duration>(all.begin(), all.end()).size(), 40u);
}

}  // namespace
}  // namespace router
