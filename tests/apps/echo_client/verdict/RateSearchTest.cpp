#include "echo_client/verdict/RateSearch.h"

#include <gtest/gtest.h>

#include <vector>

namespace load {
namespace {

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

TEST(RateSearch, BeginsWithinItsRange) {
    EXPECT_EQ(RateSearch(0.1).next(), 1);
    EXPECT_EQ(RateSearch(1e12).next(), RateSearch::highest);
}

}  // namespace
}  // namespace load
