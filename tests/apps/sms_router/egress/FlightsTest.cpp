#include "sms_router/egress/Flights.h"

#include <gtest/gtest.h>

namespace router {
namespace {

using namespace std::chrono_literals;

constexpr nio::TimePoint takeOff{1h};

std::size_t sendAfter(Flights& flights, nio::Clock::duration after) {
    return flights.add({{}, takeOff + after});
}

TEST(Flights, GiveEachBackByItsNumber) {
    Flights flights;
    const std::size_t one = sendAfter(flights, 1s);
    const std::size_t two = sendAfter(flights, 2s);
    EXPECT_EQ(flights.size(), 2u);
    EXPECT_EQ(flights.take(two).sent, takeOff + 2s);
    EXPECT_EQ(flights.take(one).sent, takeOff + 1s);
    EXPECT_EQ(flights.size(), 0u);
}

TEST(Flights, KnowWhichWasSentFirstOfThoseThatWait) {
    Flights flights;
    EXPECT_EQ(flights.oldest(), nio::TimePoint::max());
    const std::size_t one = sendAfter(flights, 1s);
    const std::size_t two = sendAfter(flights, 2s);
    const std::size_t three = sendAfter(flights, 3s);
    (void)flights.take(two);
    EXPECT_EQ(flights.oldest(), takeOff + 1s);
    (void)flights.take(one);
    EXPECT_EQ(flights.oldest(), takeOff + 3s);
    const std::size_t four = sendAfter(flights, 4s);
    EXPECT_EQ(flights.oldest(), takeOff + 3s) << "though a number is used again";
    (void)flights.take(three);
    EXPECT_EQ(flights.oldest(), takeOff + 4s);
    (void)flights.take(four);
    EXPECT_EQ(flights.oldest(), nio::TimePoint::max());
}

}  // namespace
}  // namespace router
