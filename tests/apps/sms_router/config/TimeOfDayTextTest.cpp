#include "sms_router/config/RouteReader.h"

#include <gtest/gtest.h>

namespace router {
namespace {

using namespace std::chrono_literals;

TEST(TimeOfDayText, HasAFirstMinuteAndAnEnd) {
    const auto times = parseTimes("08:30-20:00");
    ASSERT_TRUE(times);
    EXPECT_EQ(times->from, 8h + 30min);
    EXPECT_EQ(times->to, 20h);
    EXPECT_EQ(times->days, 0x7F);
    EXPECT_EQ(parseTimes("00:00-24:00")->to, 24h);
    EXPECT_EQ(parseTimes("22:00-06:00")->from, 22h);
}

TEST(TimeOfDayText, IsNothingElse) {
    for (const char* text : {"", "-", "08:00", "08:00-", "8:00-20:00", "08:00-20:60", "08:00-24:01",
                             "25:00-26:00", "08:00-08:00", "24:00-08:00", "08.00-20.00",
                             "08:00 - 20:00", "+8:00-20:00", "08:00-20:00-22:00"}) {
        EXPECT_FALSE(parseTimes(text)) << text;
    }
}

TEST(TimeOfDayText, NamesOneDayOrSeveralInARow) {
    const std::pair<const char*, int> rows[] = {{"mon", 0b0000001},     {"sun", 0b1000000},
                                                {"mon-fri", 0b0011111}, {"sat-sun", 0b1100000},
                                                {"fri-mon", 0b1110001}, {"mon-mon", 0b0000001},
                                                {"mon-sun", 0b1111111}, {"tue-mon", 0b1111111}};
    for (const auto& [text, days] : rows) EXPECT_EQ(parseDays(text), days) << text;
    for (const char* text : {"", "-", "mon-", "-mon", "Mon", "monday", "mon-fri-sun", "mon fri"}) {
        EXPECT_FALSE(parseDays(text)) << text;
    }
}

}  // namespace
}  // namespace router
