#include "echo_client/load/ServerWatch.h"

#include <gtest/gtest.h>
#include <unistd.h>

namespace load {
namespace {

using namespace std::chrono_literals;

TEST(ServerWatch, KnowsNothingBeforeItHasLookedThreeTimes) {
    ServerWatch watch(::getpid());
    EXPECT_TRUE(watch.isWatching());
    watch.connecting();
    watch.measuringBegins();
    EXPECT_FALSE(watch.use());
    watch.measuringEnds();
    ASSERT_TRUE(watch.use());
    EXPECT_LE(watch.use()->before.at, watch.use()->from.at);
    EXPECT_LE(watch.use()->from.at, watch.use()->to.at);
}

TEST(ServerWatch, KeepsWhatItSawWhenTheMeasuredTimeEndedFirst) {
    ServerWatch watch(::getpid());
    watch.connecting();
    watch.measuringBegins();
    watch.measuringEnds();
    const auto ended = watch.use()->to.at;
    watch.measuringEnds();
    EXPECT_EQ(watch.use()->to.at, ended);
}

TEST(ServerWatch, WatchesNobodyUnlessTold) {
    ServerWatch watch(std::nullopt);
    EXPECT_FALSE(watch.isWatching());
    watch.connecting();
    watch.measuringBegins();
    watch.measuringEnds();
    EXPECT_FALSE(watch.use());
}

TEST(ServerWatch, LooksALittleInsideOfTheMeasuredTime) {
    EXPECT_EQ(ServerWatch::margin(200ms), 10ms);
    EXPECT_EQ(ServerWatch::margin(10s), 20ms);
}

}  // namespace
}  // namespace load
