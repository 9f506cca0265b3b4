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

TEST(LoadResult, IsValidAsLongAsOneInAHundredLeftLate) {
    EXPECT_EQ(openLoop(990, 10).saturation(), "");
    EXPECT_EQ(openLoop(0, 0).saturation(), "");
}

TEST(LoadResult, IsInvalidWhenMoreLeftLate) {
    EXPECT_EQ(openLoop(968, 32).saturation(),
              "3.2 % of the messages were sent more than 1 ms late (p99 of lateness: 4.00 ms)");
}

TEST(LoadResult, BlamesNobodyForMessagesThatWaitedForAnswers) {
    LoadResult result = openLoop(490, 10);
    EXPECT_THAT(result.saturation(), HasSubstr("2.0 %"));
    result.total.held = 500;
    EXPECT_EQ(result.saturation(), "");
}

TEST(LoadResult, IsInvalidWhenADispatcherWasTooBusyAndNamesIt) {
    LoadResult result = openLoop(1000, 0);
    result.dispatchers = {{"load-0", 0.9}, {"load-1", 0.2}};
    EXPECT_EQ(result.saturation(), "");
    result.dispatchers = {{"load-0", 0.91}, {"load-1", 0.97}, {"load-2", 0.1}};
    EXPECT_EQ(result.saturation(), "load-1 was 97 % busy");
    result.total.lateness.recordTimes(1s, 1000);
    EXPECT_THAT(result.saturation(), HasSubstr("50 % of the messages were sent"));
    EXPECT_THAT(result.saturation(), HasSubstr("; load-1 was 97 % busy"));
}

TEST(LoadResult, OfAClosedLoopIsRemarkedOnButNotInvalid) {
    LoadResult result;
    EXPECT_EQ(result.remark(), "");
    result.dispatchers = {{"load-0", 0.97}};
    EXPECT_EQ(result.saturation(), "");
    EXPECT_EQ(result.remark(), "load-0 was 97 % busy: the client may be the limit, not the server");
    result.openLoop = true;
    EXPECT_EQ(result.remark(), "");
}

TEST(LoadResult, RemarksThatTheGeneratorStoodStill) {
    LoadResult result;
    EXPECT_EQ(result.standstill(), "");
    result.total.stoodStill = std::chrono::milliseconds(2100);
    EXPECT_EQ(result.remark(), "the generator stood still for 2.10 s");
    EXPECT_EQ(result.saturation(), "") << "no reason in itself";
}

}  // namespace
}  // namespace load
