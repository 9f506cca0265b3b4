#include "echo_client/verdict/RateSearch.h"

#include <gtest/gtest.h>

#include <vector>

namespace load {
namespace {

using namespace std::chrono_literals;

// The rates that are tried on a server that holds up to `most`.
std::vector<double> run(RateSearch& search, double most) {
    std::vector<double> tried;
    while (!search.isOver()) {
        tried.push_back(search.next());
        search.tell(search.next() <= most);
    }
    return tried;
}

TEST(RateSearch, TriesTheGivenRateFirstThenDoublesIt) {
    RateSearch search(1'000);
    EXPECT_EQ(search.next(), 1'000);
    search.tell(true);
    EXPECT_EQ(search.next(), 2'000);
    search.tell(true);
    EXPECT_EQ(search.next(), 4'000);
    EXPECT_EQ(search.best(), 2'000);
}

TEST(RateSearch, HalvesTheGapOnceARateHasFailed) {
    RateSearch search(1'000);
    search.tell(true);
    search.tell(false);
    EXPECT_EQ(search.next(), 1'500);
    search.tell(false);
    EXPECT_EQ(search.next(), 1'250);
    search.tell(true);
    EXPECT_EQ(search.next(), 1'375);
    EXPECT_EQ(search.best(), 1'250);
}

class RateSearchFor : public testing::TestWithParam<double> {};

TEST_P(RateSearchFor, ComesCloseToTheThresholdInFewRuns) {
    const double most = GetParam();
    RateSearch search(1'000);
    const auto tried = run(search, most);
    ASSERT_TRUE(search.best());
    EXPECT_LE(*search.best(), most);
    EXPECT_GT(*search.best(), most / (1 + RateSearch::precision));
    EXPECT_LE(tried.size(), 32u);
}

INSTANTIATE_TEST_SUITE_P(UpAndDown, RateSearchFor,
                         testing::Values(1.5, 17.0, 499.0, 999.0, 1'000.0, 1'001.0, 5'400.0,
                                         123'456.0, 7e6, 9.9e8));

TEST(RateSearch, NeedsFewRunsForAnUsualServer) {
    RateSearch search(1'000);
    EXPECT_LE(run(search, 54'321).size(), 13u);
}

TEST(RateSearch, HalvesUntilARateHolds) {
    RateSearch search(1'000);
    const auto tried = run(search, 300);
    ASSERT_GE(tried.size(), 3u);
    EXPECT_EQ(tried[1], 500);
    EXPECT_EQ(tried[2], 250);
    EXPECT_EQ(tried[3], 375);
}

TEST(RateSearch, EndsWithoutABestWhereNoneHolds) {
    RateSearch search(1'000);
    const auto tried = run(search, 0);
    EXPECT_FALSE(search.best());
    EXPECT_EQ(tried.back(), 1);
    EXPECT_LE(tried.size(), 12u);
}

TEST(RateSearch, EndsAtTheHighestRateWhereAllHold) {
    RateSearch search(1'000);
    run(search, 1e18);
    EXPECT_EQ(search.best(), RateSearch::highest);
}

TEST(RateSearch, EndsAfterItsMaximumOfRunsWhateverItIsTold) {
    RateSearch search(RateSearch::highest);
    std::size_t runs = 0;
    while (!search.isOver()) {
        search.tell(search.next() <= 1.1);
        ++runs;
    }
    EXPECT_LE(runs, RateSearch::maximumRuns);
}

TEST(RateSearch, TriesARateAgainForWhichTheGeneratorWasLate) {
    RateSearch search(1'000);
    search.tell(true);
    search.tellLate();
    EXPECT_EQ(search.next(), 2'000);
    search.tellLate();
    EXPECT_EQ(search.next(), 2'000);
    search.tell(true);
    EXPECT_EQ(search.next(), 4'000);
    for (std::size_t i = 0; i < RateSearch::attempts; ++i) search.tellLate();
    EXPECT_EQ(search.next(), 3'000) << "between what held and what nobody can tell";
    EXPECT_EQ(search.best(), 2'000);
}

TEST(RateSearch, EndsWithoutHalvingWhereTheGeneratorIsAlwaysLate) {
    RateSearch search(1'000);
    for (std::size_t i = 0; i < RateSearch::attempts; ++i) {
        EXPECT_FALSE(search.isOver());
        EXPECT_EQ(search.next(), 1'000);
        search.tellLate();
    }
    EXPECT_TRUE(search.isOver());
    EXPECT_FALSE(search.best());
}

TEST(RateSearch, BeginsWithinItsRange) {
    EXPECT_EQ(RateSearch(0.1).next(), 1);
    EXPECT_EQ(RateSearch(1e12).next(), RateSearch::highest);
}

// --- a step ---------------------------------------------------------------------------------

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
    EXPECT_EQ(step.value, fastEnough.valueIn(resultOf(1000, 1000)));
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

TEST(SearchStep, ExcusesNoErrorsByALateGenerator) {
    LoadResult result = resultOf(1000, 900);
    result.total.errors.reset = 1;
    result.dispatchers = {{"load-1", 0.95}};
    const SearchStep step = SearchStep::of(fastEnough, 1000, result);
    EXPECT_EQ(step.obstacle, "1 reset");
    EXPECT_FALSE(step.generatorsFault);
}

TEST(SearchStep, NamesTheGeneratorAsTheObstacleFirst) {
    LoadResult result = resultOf(1000, 900);
    result.dispatchers = {{"load-1", 0.95}};
    const SearchStep step = SearchStep::of(fastEnough, 1000, result);
    EXPECT_EQ(step.obstacle, "load-1 was 95 % busy");
    EXPECT_TRUE(step.generatorsFault);
}

TEST(SearchStep, HoldsThoughTheGeneratorWasLate) {
    LoadResult result = resultOf(1000, 1000);
    result.dispatchers = {{"load-1", 0.95}};
    const SearchStep step = SearchStep::of(fastEnough, 1000, result);
    EXPECT_TRUE(step.held);
    EXPECT_FALSE(step.generatorsFault);
}

}  // namespace
}  // namespace load
