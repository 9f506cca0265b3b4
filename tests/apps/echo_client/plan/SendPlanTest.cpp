#include "echo_client/plan/SendPlan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace load {
namespace {

using namespace std::chrono_literals;
using nio::TimePoint;

constexpr TimePoint begin{1h};

SendPlan planOf(const RateCurve& curve, Arrivals arrivals, std::size_t connection,
                std::size_t connections) {
    return {curve, arrivals, connection, connections, begin, Random(1, connection)};
}

std::vector<TimePoint> times(SendPlan plan, std::size_t count) {
    std::vector<TimePoint> all;
    for (; all.size() < count && plan.next() != TimePoint::max(); plan.advance()) {
        all.push_back(plan.next());
    }
    return all;
}

TEST(SendPlan, SendsEvenlyFromTheBeginningOn) {
    const RateCurve curve = RateCurve::constant(1'000);
    EXPECT_EQ(times(planOf(curve, Arrivals::constant, 0, 1), 3),
              (std::vector{begin, begin + 1ms, begin + 2ms}));
}

TEST(SendPlan, LetsTheConnectionsTakeTurns) {
    constexpr std::size_t connections = 7;
    const RateCurve curve = RateCurve::constant(1'000);
    std::vector<TimePoint> all;
    for (std::size_t i = 0; i < connections; ++i) {
        const auto own = times(planOf(curve, Arrivals::constant, i, connections), 100);
        all.insert(all.end(), own.begin(), own.end());
    }
    std::sort(all.begin(), all.end());
    for (std::size_t i = 0; i < all.size(); ++i) EXPECT_EQ(all[i], begin + i * 1ms);
}

TEST(SendPlan, KeepsTheRateOverALongTime) {
    const RateCurve curve = RateCurve::constant(3);
    const auto all = times(planOf(curve, Arrivals::constant, 1, 3), 1'000'001);
    EXPECT_NEAR(std::chrono::duration<double>(all.back() - begin).count(), 1e6 + 1.0 / 3, 1e-6);
}

TEST(SendPlan, EndsWithTheStages) {
    const RateCurve curve = RateCurve::parseStages("1s:10").orThrow();
    for (std::size_t i = 0; i < 4; ++i) {
        SendPlan plan = planOf(curve, Arrivals::constant, i, 4);
        EXPECT_EQ(times(plan, 100).size(), i < 2 ? 3u : 2u);
    }
    SendPlan late = planOf(curve, Arrivals::constant, 12, 20);
    EXPECT_EQ(late.next(), TimePoint::max());
    late.advance();
    EXPECT_EQ(late.next(), TimePoint::max());
}

TEST(SendPlan, FollowsARise) {
    const RateCurve curve = RateCurve::parseStages("10s:0-10").orThrow();
    const auto all = times(planOf(curve, Arrivals::constant, 0, 1), 100);
    ASSERT_EQ(all.size(), 50u);
    for (std::size_t i = 0; i < all.size(); ++i) {
        const double seconds = std::sqrt(2.0 * static_cast<double>(i));
        EXPECT_NEAR(std::chrono::duration<double>(all[i] - begin).count(), seconds, 1e-8);
    }
}

TEST(SendPlan, IsSilentWhereNothingIsDueForAges) {
    const RateCurve curve = RateCurve::constant(1e-12);
    SendPlan plan = planOf(curve, Arrivals::constant, 0, 1);
    EXPECT_EQ(plan.next(), begin);
    plan.advance();
    EXPECT_EQ(plan.next(), TimePoint::max());
}

// The gaps of one connection that has a share of 1/4 of 1,000 per second.
std::vector<double> poissonGaps(std::size_t count) {
    const RateCurve curve = RateCurve::constant(1'000);
    const auto all = times(planOf(curve, Arrivals::poisson, 2, 4), count + 1);
    std::vector<double> gaps;
    for (std::size_t i = 1; i < all.size(); ++i) {
        gaps.push_back(std::chrono::duration<double>(all[i] - all[i - 1]).count());
    }
    return gaps;
}

// Of n exponentials with mean m, the mean has the deviation m/√n and the variance m²·√(8/n).
TEST(SendPlan, DrawsGapsWithTheMeanAndTheVarianceOfAnExponential) {
    constexpr std::size_t count = 100'000;
    constexpr double expected = 0.004;
    const auto gaps = poissonGaps(count);
    double sum = 0;
    for (const double gap : gaps) sum += gap;
    const double mean = sum / count;
    double squares = 0;
    for (const double gap : gaps) squares += (gap - mean) * (gap - mean);
    EXPECT_NEAR(mean, expected, 4 * expected / std::sqrt(count));
    EXPECT_NEAR(squares / count, expected * expected,
                4 * expected * expected * std::sqrt(8.0 / count));
    const auto isLong = [](double gap) { return gap > 3 * expected; };
    const double share = std::exp(-3.0);
    EXPECT_NEAR(static_cast<double>(std::count_if(gaps.begin(), gaps.end(), isLong)), count * share,
                4 * std::sqrt(count * share));
}

TEST(SendPlan, DrawsItsGapsFromTheSeedAndTheConnection) {
    const RateCurve curve = RateCurve::constant(1'000);
    const auto one = times(planOf(curve, Arrivals::poisson, 0, 2), 50);
    EXPECT_EQ(one, times(planOf(curve, Arrivals::poisson, 0, 2), 50));
    EXPECT_NE(one, times(planOf(curve, Arrivals::poisson, 1, 2), 50));
}

TEST(SendPlan, DrawsAboutAsManyAsAStageHas) {
    const RateCurve curve = RateCurve::parseStages("10s:0-2k,1s:0").orThrow();
    const auto all = times(planOf(curve, Arrivals::poisson, 0, 1), 100'000);
    EXPECT_NEAR(static_cast<double>(all.size()), 10'000, 4 * 100);
    EXPECT_LT(all.back(), begin + 10s);
}

TEST(SendPlan, CountsTheMessagesOfATimeSpanWithoutDrawingThem) {
    const RateCurve curve = RateCurve::parseStages("1s:100,1s:100-900,1s:0,1s:50").orThrow();
    for (std::size_t connection = 0; connection < 3; ++connection) {
        SendPlan plan = planOf(curve, Arrivals::constant, connection, 3);
        for (int sent = 0; sent < 10; ++sent) plan.advance();
        const std::vector<TimePoint> left = times(plan, 100'000);
        for (const auto& [from, to] : {std::pair{0ms, 5000ms},
                                       {500ms, 1500ms},
                                       {1500ms, 3500ms},
                                       {2100ms, 2900ms},
                                       {3000ms, 3000ms},
                                       {1000ms, 10ms}}) {
            const auto within = [from = from, to = to](TimePoint each) {
                return each >= begin + from && each < begin + to;
            };
            const auto counted = std::count_if(left.begin(), left.end(), within);
            EXPECT_NEAR(static_cast<double>(plan.plannedWithin(begin + from, begin + to)),
                        static_cast<double>(counted), 1)
                << connection << ": " << from.count() << " to " << to.count();
        }
    }
}

}  // namespace
}  // namespace load
