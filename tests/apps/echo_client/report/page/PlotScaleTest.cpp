#include "echo_client/report/page/PlotScale.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace {

using load::page::PlotScale;
using testing::AllOf;
using testing::DoubleNear;
using testing::ElementsAre;
using testing::Ge;
using testing::Le;
using testing::Pointwise;
using testing::SizeIs;
using Ends = PlotScale::Ends;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinite = std::numeric_limits<double>::infinity();

MATCHER_P(AreAbout, values, "") {
    return testing::ExplainMatchResult(Pointwise(testing::DoubleNear(1e-9), values), arg,
                                       result_listener);
}

using Values = std::vector<double>;

TEST(PlotScale, HasTicksAtMultiplesOfOneTwoOrFive) {
    EXPECT_THAT(PlotScale::linear(0, 5, Ends::exact).ticks(), AreAbout(Values{0, 1, 2, 3, 4, 5}));
    EXPECT_THAT(PlotScale::linear(0, 9.3, Ends::exact).ticks(), AreAbout(Values{0, 2, 4, 6, 8}));
    EXPECT_THAT(PlotScale::linear(0.5, 2.4, Ends::exact).ticks(), AreAbout(Values{0.5, 1, 1.5, 2}));
    EXPECT_THAT(PlotScale::linear(0, 0.5, Ends::exact).ticks(),
                AreAbout(Values{0, 0.1, 0.2, 0.3, 0.4, 0.5}));
}

TEST(PlotScale, EndsWhereItIsToldToOrAtTheNextTick) {
    EXPECT_DOUBLE_EQ(PlotScale::linear(0, 9.3, Ends::exact).high(), 9.3);
    EXPECT_DOUBLE_EQ(PlotScale::linear(0, 9.3, Ends::rounded).high(), 10);
    EXPECT_DOUBLE_EQ(PlotScale::linear(0, 10, Ends::rounded).high(), 10);
    EXPECT_DOUBLE_EQ(PlotScale::logarithmic(31, 1700, Ends::exact).low(), 31);
    EXPECT_DOUBLE_EQ(PlotScale::logarithmic(31, 1700, Ends::rounded).low(), 20);
    EXPECT_DOUBLE_EQ(PlotScale::logarithmic(31, 1700, Ends::rounded).high(), 2000);
}

TEST(PlotScale, PlacesValuesEvenlyOrByTheirLogarithm) {
    const PlotScale even = PlotScale::linear(100, 200, Ends::exact);
    EXPECT_DOUBLE_EQ(even.fraction(100), 0);
    EXPECT_DOUBLE_EQ(even.fraction(125), 0.25);
    EXPECT_DOUBLE_EQ(even.fraction(200), 1);
    const PlotScale decades = PlotScale::logarithmic(1, 1e4, Ends::exact);
    EXPECT_DOUBLE_EQ(decades.fraction(1), 0);
    EXPECT_DOUBLE_EQ(decades.fraction(10), 0.25);
    EXPECT_DOUBLE_EQ(decades.fraction(1e4), 1);
}

TEST(PlotScale, KeepsWhatIsBeyondItsEndsAtThem) {
    const PlotScale scale = PlotScale::linear(1, 2, Ends::exact);
    EXPECT_EQ(scale.fraction(-7), 0);
    EXPECT_EQ(scale.fraction(7), 1);
    EXPECT_EQ(scale.fraction(infinite), 1);
    EXPECT_EQ(scale.fraction(nan), 0);
    EXPECT_EQ(PlotScale::logarithmic(1, 10, Ends::exact).fraction(0), 0);
}

TEST(PlotScale, ShowsNumbersAndOnALogarithmicAxisOnlyPositiveOnes) {
    const PlotScale even = PlotScale::linear(0, 1, Ends::exact);
    const PlotScale decades = PlotScale::logarithmic(1, 10, Ends::exact);
    EXPECT_TRUE(even.shows(0));
    EXPECT_FALSE(decades.shows(0));
    EXPECT_TRUE(decades.shows(1e-3));
    EXPECT_FALSE(even.shows(nan));
    EXPECT_FALSE(even.shows(infinite));
}

TEST(PlotScale, MarksFewDecadesFinelyAndManyCoarsely) {
    EXPECT_THAT(PlotScale::logarithmic(10, 200, Ends::exact).ticks(),
                AreAbout(Values{10, 20, 50, 100, 200}));
    EXPECT_THAT(PlotScale::logarithmic(20, 7000, Ends::exact).ticks(),
                AreAbout(Values{30, 100, 300, 1e3, 3e3}));
    EXPECT_THAT(PlotScale::logarithmic(1, 1e4, Ends::exact).ticks(),
                AreAbout(Values{1, 10, 100, 1e3, 1e4}));
    EXPECT_THAT(PlotScale::logarithmic(1, 1e18, Ends::exact).ticks(),
                AllOf(SizeIs(Ge(3U)), SizeIs(Le(9U))));
}

TEST(PlotScale, MarksEvenlyWhatIsMuchLessThanADecade) {
    EXPECT_THAT(PlotScale::logarithmic(31, 48, Ends::exact).ticks(), AreAbout(Values{35, 40, 45}));
}

TEST(PlotScale, MakesRoomAroundASingleValue) {
    const PlotScale even = PlotScale::linear(8, 8, Ends::exact);
    EXPECT_DOUBLE_EQ(even.fraction(8), 0.5);
    EXPECT_DOUBLE_EQ(PlotScale::linear(0, 0, Ends::exact).high(), 1);
    EXPECT_DOUBLE_EQ(PlotScale::logarithmic(8, 8, Ends::exact).fraction(8), 0.5);
}

TEST(PlotScale, StaysSaneWithAnyEnds) {
    const Values odd{nan, infinite, -infinite, 0, -1, 1e308, -1e308, 1e-308, 5, 5.0000000001};
    for (const double low : odd) {
        for (const double high : odd) {
            for (const Ends ends : {Ends::exact, Ends::rounded}) {
                for (const PlotScale& scale : {PlotScale::linear(low, high, ends),
                                               PlotScale::logarithmic(low, high, ends)}) {
                    SCOPED_TRACE(testing::Message() << low << " to " << high);
                    EXPECT_LT(scale.low(), scale.high());
                    EXPECT_TRUE(std::isfinite(scale.high() - scale.low()));
                    EXPECT_THAT(scale.ticks(), AllOf(SizeIs(Ge(1U)), SizeIs(Le(12U))));
                    for (const double tick : scale.ticks()) EXPECT_TRUE(scale.shows(tick));
                }
            }
        }
    }
}

}  // namespace
