#include "echo_client/figures/Sample.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace load {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;

Sample firstSecond() {
    Sample sample;
    sample.phase = LoadPhase::warmingUp;
    sample.at = 1s;
    sample.interval = 1s;
    sample.percent = 10;
    sample.made = 9;
    sample.asked = 10;
    sample.answered = 1000;
    sample.bytes = 2'000'000;
    sample.latency.recordTimes(20us, 1000);
    sample.errors = 1;
    sample.dispatchers = {{"load-1", 0.25}, {"load-2", 0.5}};
    return sample;
}

Sample threeMore() {
    Sample sample = firstSecond();
    sample.phase = LoadPhase::measuring;
    sample.at = 4s;
    sample.interval = 3s;
    sample.percent = 40;
    sample.made = 10;
    sample.answered = 7000;
    sample.bytes = 6'000'000;
    sample.errors = 3;
    sample.dispatchers[0].busy = 0.75;
    return sample;
}

TEST(Sample, KnowsItsRates) {
    EXPECT_EQ(threeMore().perSecond(), 7000 / 3.0);
    EXPECT_EQ(threeMore().megabytesPerSecond(), 2.0);
    EXPECT_EQ(Sample().perSecond(), 0.0);
    EXPECT_EQ(Sample().megabytesPerSecond(), 0.0);
}

TEST(Sample, TakesTheOneThatFollowsIn) {
    Sample sum = firstSecond();
    sum.add(threeMore());
    EXPECT_EQ(sum.phase, LoadPhase::measuring);
    EXPECT_EQ(sum.at, 4s);
    EXPECT_EQ(sum.interval, 4s);
    EXPECT_EQ(sum.percent, 40);
    EXPECT_EQ(sum.made, 10u);
    EXPECT_EQ(sum.perSecond(), 2000.0);
    EXPECT_EQ(sum.megabytesPerSecond(), 2.0);
    EXPECT_EQ(sum.latency.count(), 2000u);
    EXPECT_EQ(sum.errors, 3u);
    EXPECT_THAT(sum.dispatchers,
                ElementsAre(DispatcherLoad{"load-1", 0.625}, DispatcherLoad{"load-2", 0.5}));
}

TEST(Sample, TakesTheLoadOfDispatchersThatItDidNotKnow) {
    Sample sum;
    sum.add(firstSecond());
    EXPECT_EQ(sum.dispatchers, firstSecond().dispatchers);
}

TEST(Point, KeepsWhatAPlotNeeds) {
    Sample sample = threeMore();
    sample.latency.record(5ms);
    const Point point = Point::of(sample);
    EXPECT_EQ(point.at, 4.0);
    EXPECT_EQ(point.perSecond, 7000 / 3.0);
    EXPECT_EQ(point.megabytesPerSecond, 2.0);
    EXPECT_NEAR(point.p50, 20, 0.02);
    EXPECT_NEAR(point.p90, 20, 0.02);
    EXPECT_NEAR(point.p99, 20, 0.02);
    EXPECT_NEAR(point.p999, 20, 0.02);
    EXPECT_EQ(point.max, 5000.0);
    EXPECT_EQ(point.errors, 3u);
    EXPECT_TRUE(point.isMeasured());
    EXPECT_TRUE(point.isAnswered());
    EXPECT_FALSE(Point::of(firstSecond()).isMeasured());
}

TEST(Point, HasNoLatencyWithoutAnAnswer) {
    Sample sample = threeMore();
    sample.latency = {};
    const Point point = Point::of(sample);
    for (const double time : {point.p50, point.p90, point.p99, point.p999, point.max}) {
        EXPECT_TRUE(std::isnan(time));
    }
    EXPECT_FALSE(point.isAnswered());
    EXPECT_EQ(point.errors, 3u);
    EXPECT_TRUE(point.isMeasured());
}

}  // namespace
}  // namespace load
