#include "sms_router/routing/LocalTime.h"

#include <cstdlib>
#include <ctime>

#include "RoutingTesting.h"

namespace router {
namespace {

using namespace router::routingtest;
using namespace std::chrono_literals;

class InZone {
  public:
    explicit InZone(const char* zone) {
        if (const char* old = std::getenv("TZ")) {
            old_ = old;
            hadOne_ = true;
        }
        setenv("TZ", zone, 1);
        tzset();
    }
    ~InZone() {
        if (hadOne_)
            setenv("TZ", old_.c_str(), 1);
        else
            unsetenv("TZ");
        tzset();
    }

  private:
    std::string old_;
    bool hadOne_ = false;
};

void expectLocal(Time time, unsigned weekday, int minute) {
    LocalClock clock;
    const LocalMinute local = clock.at(time);
    EXPECT_EQ(local.weekday, weekday);
    EXPECT_EQ(local.minute, minute);
}

TimeOfDay times(std::chrono::minutes from, std::chrono::minutes to, std::uint8_t days = 0x7F) {
    return {from, to, days};
}

TEST(LocalTime, IsThatOfTheZone) {
    const InZone zone("XXX-5:30");
    expectLocal(monday, 0, 5 * 60 + 30);
    expectLocal(monday + 18h + 29min + 59s, 0, 23 * 60 + 59);
    expectLocal(monday + 18h + 30min, 1, 0);
}

TEST(LocalTime, CountsWeekdaysFromMonday) {
    const InZone zone("UTC0");
    for (unsigned day = 0; day < 7; ++day) expectLocal(monday + day * 24h, day, 0);
    expectLocal(monday - 1s, 6, 23 * 60 + 59);
}

TEST(LocalTime, MovesWithSummerTime) {
    const InZone zone("CET-1CEST,M3.5.0,M10.5.0/3");
    const Time lastSundayOfMarch = monday + 90 * 24h;  // 2024-03-31 00:00 UTC
    LocalClock clock;
    EXPECT_EQ(clock.at(lastSundayOfMarch + 59min).minute, 119);
    EXPECT_EQ(clock.at(lastSundayOfMarch + 60min).minute, 180);
    EXPECT_EQ(clock.at(lastSundayOfMarch + 59min).minute, 119);
}

TEST(TimeOfDay, BeginsWithItsFirstMinuteAndEndsBeforeItsLast) {
    const TimeOfDay office = times(9h, 17h);
    EXPECT_FALSE(contains(office, {0, 9 * 60 - 1}));
    EXPECT_TRUE(contains(office, {0, 9 * 60}));
    EXPECT_TRUE(contains(office, {0, 17 * 60 - 1}));
    EXPECT_FALSE(contains(office, {0, 17 * 60}));
}

TEST(TimeOfDay, IsAllDayUnlessItIsToldOtherwise) {
    EXPECT_TRUE(contains(TimeOfDay{}, {0, 0}));
    EXPECT_TRUE(contains(TimeOfDay{}, {6, 24 * 60 - 1}));
}

TEST(TimeOfDay, IsOnlyOnItsDays) {
    const TimeOfDay weekend = times(0min, 24h, 0x60);
    EXPECT_FALSE(contains(weekend, {4, 720}));
    EXPECT_TRUE(contains(weekend, {5, 720}));
    EXPECT_TRUE(contains(weekend, {6, 720}));
}

TEST(TimeOfDay, GoesOverMidnightIntoTheNextDay) {
    const TimeOfDay sundayNight = times(22h, 6h, 0x40);
    EXPECT_FALSE(contains(sundayNight, {6, 22 * 60 - 1}));
    EXPECT_TRUE(contains(sundayNight, {6, 22 * 60}));
    EXPECT_TRUE(contains(sundayNight, {0, 6 * 60 - 1}));
    EXPECT_FALSE(contains(sundayNight, {0, 6 * 60}));
    EXPECT_FALSE(contains(sundayNight, {6, 60}));
    EXPECT_FALSE(contains(sundayNight, {0, 23 * 60}));
}

}  // namespace
}  // namespace router
