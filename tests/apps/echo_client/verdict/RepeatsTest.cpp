#include "echo_client/verdict/Repeats.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace load {
namespace {

// 1 to count, in another order.
MedianEstimate ofFirst(std::size_t count) {
    std::vector<double> values;
    for (std::size_t i = 1; i <= count; ++i) values.push_back(static_cast<double>(i));
    std::reverse(values.begin() + static_cast<std::ptrdiff_t>(count / 2), values.end());
    return MedianEstimate::of(values);
}

TEST(Repeats, TakesTheMiddleOrTheMeanOfTheMiddleTwo) {
    EXPECT_EQ(MedianEstimate::of({3, 9, 1}).median, 3);
    EXPECT_EQ(MedianEstimate::of({3, 9, 1, 5}).median, 4);
}

TEST(Repeats, TrustsASingleRunInNothing) {
    const MedianEstimate estimate = MedianEstimate::of({7});
    EXPECT_EQ(estimate.low, 7);
    EXPECT_EQ(estimate.median, 7);
    EXPECT_EQ(estimate.high, 7);
    EXPECT_EQ(estimate.confidence, 0);
}

struct Expected {
    std::size_t count;
    double low;
    double high;
    double confidence;
};

class RepeatsOf : public testing::TestWithParam<Expected> {};

// Sums of binomial coefficients, by hand: 1 - 2 (C(n,0) + … + C(n,k-1)) / 2^n.
TEST_P(RepeatsOf, CoversTheMedianAsTheBinomialDistributionSays) {
    const auto [count, low, high, confidence] = GetParam();
    const MedianEstimate estimate = ofFirst(count);
    EXPECT_EQ(estimate.low, low);
    EXPECT_EQ(estimate.high, high);
    EXPECT_DOUBLE_EQ(estimate.confidence, confidence);
}

INSTANTIATE_TEST_SUITE_P(
    All, RepeatsOf,
    testing::Values(Expected{2, 1, 2, 1 - 2.0 / 4}, Expected{3, 1, 3, 1 - 2.0 / 8},
                    Expected{5, 1, 5, 1 - 2.0 / 32}, Expected{6, 1, 6, 1 - 2.0 / 64},
                    Expected{8, 1, 8, 1 - 2.0 / 256},  // from 2 to 7 it were 0.93
                    Expected{9, 2, 8, 1 - 2.0 * (1 + 9) / 512},
                    Expected{20, 6, 15, 1 - 2.0 * (1 + 20 + 190 + 1140 + 4845 + 15504) / 1048576}),
    [](const auto& expected) { return "Runs" + std::to_string(expected.param.count); });

TEST(Repeats, GrowsNarrowerWithManyRuns) {
    const MedianEstimate estimate = ofFirst(1'000);
    EXPECT_EQ(estimate.median, 500.5);
    EXPECT_EQ(estimate.low, 469);  // 500 - 1.96 √1000 / 2, rounded down
    EXPECT_EQ(estimate.high, 532);
    EXPECT_GE(estimate.confidence, 0.95);
    EXPECT_LT(estimate.confidence, 0.96);
}

}  // namespace
}  // namespace load
