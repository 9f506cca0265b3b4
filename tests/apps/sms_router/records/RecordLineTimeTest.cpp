#include "sms_router/records/RecordLine.h"

#include <gtest/gtest.h>

namespace router {
namespace {

using namespace std::chrono_literals;

std::string textOf(std::chrono::system_clock::duration since1970) {
    std::string out;
    appendTime(out, std::chrono::system_clock::time_point(since1970));
    return out;
}

// The seconds are those that date(1) says.
TEST(TimeText, IsUtcWithMicroseconds) {
    EXPECT_EQ(textOf(0s), "1970-01-01T00:00:00.000000Z");
    EXPECT_EQ(textOf(1'709'251'199s + 125us), "2024-02-29T23:59:59.000125Z");
    EXPECT_EQ(textOf(1'709'251'200s + 999'999us + 999ns), "2024-03-01T00:00:00.999999Z");
    EXPECT_EQ(textOf(4'102'444'800s), "2100-01-01T00:00:00.000000Z");
}

TEST(TimeText, KnowsTheTimeBefore1970) {
    EXPECT_EQ(textOf(-1us), "1969-12-31T23:59:59.999999Z");
}

}  // namespace
}  // namespace router
