#include <nio/sys/LogLimiter.h>

#include <gtest/gtest.h>

namespace {

using namespace std::chrono_literals;

TEST(LogLimiter, LetsOneLineThroughPerPeriodAndCountsTheOthers) {
    nio::LogLimiter limit(1s);
    const nio::TimePoint start = nio::Clock::now();
    EXPECT_EQ(limit.admit(start), "");
    EXPECT_FALSE(limit.admit(start));
    EXPECT_FALSE(limit.admit(start + 999ms));
    EXPECT_EQ(limit.admit(start + 1s), " (2 more like this)");
    EXPECT_FALSE(limit.admit(start + 1999ms)) << "the period begins with the line";
    EXPECT_EQ(limit.admit(start + 2s), " (1 more like this)");
    EXPECT_EQ(limit.admit(start + 9s), "");
}

}  // namespace
