#include "echo_client/verdict/SearchStep.h"

#include <gtest/gtest.h>

namespace load {
namespace {

using namespace std::chrono_literals;

const Requirement fastEnough = Requirement::parse("p99<2ms").orThrow();

// So many messages were due in a second, and so many of them answered in time, after 1 ms.
LoadResult resultOf(std::uint64_t due, std::uint64_t answered) {
    LoadResult result;
    result.openLoop = true;
    result.measured = 1s;
    result.offered = 1000;
    result.total.lateness.recordTimes(10us, due);
    result.total.latency.recordTimes(1ms, answered);
    result.total.inTime = answered;
    return result;
}

TEST(SearchStep, HoldsWhereAllWasAnswered) {
    const SearchStep step = SearchStep::of(fastEnough, 1000, resultOf(1000, 1000));
    EXPECT_TRUE(step.held);
    EXPECT_EQ(step.rate, 1000);
    EXPECT_EQ(step.achieved, 1000);
    EXPECT_EQ(step.found, "p99 = 1.00 ms");
    EXPECT_EQ(step.obstacle, "");
}

TEST(SearchStep, IsMissedWhereTheServerFallsBehind) {
    const SearchStep step = SearchStep::of(fastEnough, 1000, resultOf(1000, 940));
    EXPECT_FALSE(step.held);
    EXPECT_EQ(step.obstacle, "only 940/s were answered in time");
    EXPECT_FALSE(step.generatorsFault);
}

TEST(SearchStep, AsksForNoMoreAnswersThanChanceHasDrawnMessages) {
    LoadResult result = resultOf(890, 900);
    result.total.held = 10;
    EXPECT_TRUE(SearchStep::of(fastEnough, 1000, result).held);
    EXPECT_FALSE(SearchStep::of(fastEnough, 1000, resultOf(1100, 1000)).held);
}

// Of 1,000 that were due in a second those of the last 300 ms are on their way.
TEST(SearchStep, TakesARoundTripLongerThanTheWarmUpForNoQueue) {
    LoadResult result = resultOf(1000, 700);
    result.total.latency = {};
    result.total.latency.recordTimes(400ms, 1000);
    result.total.outside.recordTimes(401ms, 100);
    result.warmup = 100ms;
    const Requirement patient = Requirement::parse("p99<2s").orThrow();
    EXPECT_TRUE(SearchStep::of(patient, 1000, result).held);
    result.warmup = 400ms;
    EXPECT_FALSE(SearchStep::of(patient, 1000, result).held);
}

TEST(SearchStep, OfARoundTripThatTakesMostOfTheRunTellsNothing) {
    LoadResult result = resultOf(1000, 0);
    result.total.latency = {};
    result.total.latency.recordTimes(980ms, 1000);
    const Requirement patient = Requirement::parse("p99<2s").orThrow();
    const SearchStep step = SearchStep::of(patient, 1000, result);
    EXPECT_FALSE(step.held);
    EXPECT_EQ(step.obstacle, "a round trip takes longer than the warm-up and most of the run");
}

TEST(SearchStep, FallsBehindByWhatCouldBeAnsweredNotByAllThatWasDue) {
    LoadResult result = resultOf(1000, 360);
    result.total.latency = {};
    result.total.latency.recordTimes(600ms, 1000);
    const Requirement patient = Requirement::parse("p99<2s").orThrow();
    EXPECT_FALSE(SearchStep::of(patient, 1000, result).held) << "of 400 that could be";
    result.total.inTime = 390;
    EXPECT_TRUE(SearchStep::of(patient, 1000, result).held);
}

TEST(SearchStep, TakesAQueueThatGrowsForNoRoundTrip) {
    LoadResult result = resultOf(1000, 700);
    result.total.latency = {};
    result.total.latency.recordTimes(400ms, 1000);
    result.total.outside.recordTimes(1ms, 1);
    const Requirement patient = Requirement::parse("p99<2s").orThrow();
    EXPECT_EQ(SearchStep::of(patient, 1000, result).obstacle, "only 700/s were answered in time");
}

TEST(SearchStep, NamesTheGeneratorAsTheObstacleFirst) {
    LoadResult result = resultOf(1000, 900);
    result.total.errors.reset = 1;
    EXPECT_EQ(SearchStep::of(fastEnough, 1000, result).obstacle, "1 reset");
    result.dispatchers = {{"load-1", 0.95}};
    const SearchStep step = SearchStep::of(fastEnough, 1000, result);
    EXPECT_EQ(step.obstacle, "load-1 was 95 % busy");
    EXPECT_TRUE(step.generatorsFault);
}

}  // namespace
}  // namespace load
