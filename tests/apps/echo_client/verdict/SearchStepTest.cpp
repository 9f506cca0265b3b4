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
