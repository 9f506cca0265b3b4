#include "sms_router/model/Moment.h"

#include <gtest/gtest.h>

#include <thread>

namespace router {
namespace {

// The clock has gone on when it returns.
nio::TimePoint later(nio::TimePoint than) {
    while (nio::Clock::now() <= than) continue;
    return nio::Clock::now();
}

TEST(Moment, StandsStillUntilItsEnd) {
    nio::TimePoint first;
    {
        const Moment moment;
        first = Moment::now();
        later(first);
        EXPECT_EQ(Moment::now(), first);
    }
    const nio::TimePoint behind = later(first);
    EXPECT_GE(Moment::now(), behind);
}

TEST(Moment, LeavesTheOuterOneAsItWas) {
    const Moment outer;
    const nio::TimePoint before = Moment::now();
    {
        later(before);
        const Moment inner;
        EXPECT_GT(Moment::now(), before);
    }
    EXPECT_EQ(Moment::now(), before);
}

TEST(Moment, IsItsThreadsOnly) {
    const Moment moment;
    const nio::TimePoint before = later(Moment::now());
    nio::TimePoint there;
    std::thread([&] { there = Moment::now(); }).join();
    EXPECT_GE(there, before);
}

}  // namespace
}  // namespace router
