#include "echo_client/figures/LoadResult.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace load {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

LoadResult openLoop(std::uint64_t inTime, std::uint64_t late) {
    LoadResult result;
    result.openLoop = true;
    result.total.lateness.recordTimes(50us, inTime);
    result.total.lateness.recordTimes(4ms, late);
    return result;
}

TEST(LoadResult, KnowsItsRates) {
    LoadResult result;
    EXPECT_EQ(result.perSecond(), 0.0);
    EXPECT_EQ(result.megabytesPerSecond(), 0.0);
    result.measured = 500ms;
    result.total.latency.recordTimes(1ms, 3500);  // 500 of them after the time
    result.total.inTime = 3000;
    result.total.bytes = 1'000'000;
    EXPECT_EQ(result.perSecond(), 6000.0);
    EXPECT_EQ(result.megabytesPerSecond(), 2.0);
}

TEST(LoadResult, IsInTimeAsLongAsOneInAHundredLeftLate) {
    EXPECT_EQ(openLoop(990, 10).lateness(), "");
    EXPECT_EQ(openLoop(0, 0).lateness(), "");
}

TEST(LoadResult, IsLateWhenMoreLeftLate) {
    EXPECT_EQ(openLoop(968, 32).lateness(),
              "3.2 % of the messages were sent more than 1.00 ms late (p99 of lateness: 4.00 ms)");
}

TEST(LoadResult, IsAsLateAsItsBoundSays) {
    LoadResult result = openLoop(968, 32);
    result.maxLateness = {1ms, 0.04};
    EXPECT_EQ(result.lateness(), "");
    result.maxLateness = {5ms, 0};
    EXPECT_EQ(result.lateness(), "");
    result.maxLateness = {3ms, 0};
    EXPECT_THAT(result.lateness(), HasSubstr("more than 3.00 ms late"));
}

TEST(LoadResult, BlamesNobodyForMessagesThatWaitedForAnswers) {
    LoadResult result = openLoop(490, 10);
    EXPECT_THAT(result.lateness(), HasSubstr("2.0 %"));
    result.total.held = result.total.offline = 250;
    EXPECT_EQ(result.lateness(), "");
}

TEST(LoadResult, IsLateWhenADispatcherWasTooBusyAndNamesIt) {
    LoadResult result = openLoop(1000, 0);
    result.dispatchers = {{"load-0", 0.9}, {"load-1", 0.2}};
    EXPECT_EQ(result.lateness(), "");
    result.dispatchers = {{"load-0", 0.91}, {"load-1", 0.97}, {"load-2", 0.1}};
    EXPECT_EQ(result.lateness(), "load-1 was 97 % busy");
    result.total.lateness.recordTimes(1s, 1000);
    EXPECT_THAT(result.lateness(), HasSubstr("50 % of the messages were sent"));
    EXPECT_THAT(result.lateness(), HasSubstr("; load-1 was 97 % busy"));
}

TEST(LoadResult, OfAClosedLoopHasAWarningAndIsNotLate) {
    LoadResult result;
    EXPECT_EQ(result.warning(), "");
    result.dispatchers = {{"load-0", 0.97}};
    EXPECT_EQ(result.lateness(), "");
    EXPECT_EQ(result.warning(),
              "load-0 was 97 % busy: the client may be the limit, not the server");
    result.busyPolls = true;
    EXPECT_EQ(result.warning(), "") << "it was busy polling";
}

TEST(LoadResult, WarnsThatTheGeneratorStoodStill) {
    LoadResult result;
    EXPECT_EQ(result.standstill(), "");
    result.total.stoodStill = std::chrono::milliseconds(2100);
    EXPECT_EQ(result.warning(), "the generator stood still for 2.10 s");
    EXPECT_EQ(result.lateness(), result.warning());
}

}  // namespace
}  // namespace load
