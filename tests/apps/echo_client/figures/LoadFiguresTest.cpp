#include "echo_client/figures/LoadFigures.h"

#include <gtest/gtest.h>

#include "apps/echo_client/figures/SomeFigures.h"

namespace load {
namespace {

TEST(LoadFigures, AreMergedOneByOne) {
    const LoadFigures one = someFigures(1000);
    LoadFigures sum = one;
    sum.merge(someFigures(50));
    EXPECT_EQ(sum.latency.count(), 1000u);
    EXPECT_EQ(sum.service.count(), 1000u);
    EXPECT_EQ(sum.lateness.count(), 1000u);
    EXPECT_EQ(sum.outside.count(), 1000u);
    EXPECT_EQ(sum.connect.count(), 1000u);
    EXPECT_EQ(sum.bytes, 1052u);
    EXPECT_EQ(sum.held, 1054u);
    EXPECT_EQ(sum.offline, 1072u);
    EXPECT_EQ(sum.unsent, 1056u);
    EXPECT_EQ(sum.outages.all().size(), 2u);
    EXPECT_EQ(sum.reconnectsFailed, 1074u);
    EXPECT_EQ(sum.unanswered, 1068u);
    EXPECT_EQ(sum.sent, 1058u);
    EXPECT_EQ(sum.answered, 1060u);
    EXPECT_EQ(sum.answeredBytes, 1070u);
    EXPECT_EQ(sum.busy.count(), 1062);
    EXPECT_EQ(sum.covered.count(), 1064);
    EXPECT_EQ(sum.errors.corrupted, 1082u);
    EXPECT_EQ(sum.errors.other.size(), 2u);
}

TEST(LoadFigures, StayAtTheLongestTimeThereIs) {
    LoadFigures sum;
    LoadFigures liar;
    liar.busy = liar.covered = nio::Clock::duration::max() / 2;
    for (int i = 0; i < 4; ++i) sum.merge(liar);
    EXPECT_EQ(sum.busy, nio::Clock::duration::max());
    EXPECT_EQ(sum.covered, nio::Clock::duration::max());
}

TEST(LoadFigures, KnowTheShortestRoundTripMeasuredOrNot) {
    using std::chrono::milliseconds;
    LoadFigures figures;
    EXPECT_EQ(figures.roundTrip(), milliseconds(0));
    figures.latency.record(milliseconds(7));
    EXPECT_EQ(figures.roundTrip(), milliseconds(7));
    figures.outside.record(milliseconds(5));
    EXPECT_EQ(figures.roundTrip(), milliseconds(5));
    figures.latency = {};
    EXPECT_EQ(figures.roundTrip(), milliseconds(5));
}

}  // namespace
}  // namespace load
