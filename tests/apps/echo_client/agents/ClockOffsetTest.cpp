#include "echo_client/agents/ClockOffset.h"

#include <gtest/gtest.h>

namespace {

using load::ClockOffset;
using nio::TimePoint;
using namespace std::chrono_literals;

constexpr TimePoint zero{};

TEST(ClockOffset, TakesTheOtherClockAsReadInTheMiddleOfTheRoundTrip) {
    ClockOffset offset;
    offset.add(zero + 100us, zero + 5s + 150us, zero + 200us);
    EXPECT_EQ(offset.roundTrip(), 100us);
    EXPECT_EQ(offset.toTheirs(zero + 1s), zero + 6s);
}

TEST(ClockOffset, MayBeNegative) {
    ClockOffset offset;
    offset.add(zero + 10s, zero + 1s, zero + 10s);
    EXPECT_EQ(offset.toTheirs(zero + 12s), zero + 3s);
}

TEST(ClockOffset, BelievesTheShortestRoundTrip) {
    ClockOffset offset;
    offset.add(zero, zero + 3s, zero + 900us);
    offset.add(zero + 1s, zero + 3s + 50us, zero + 1s + 100us);
    offset.add(zero + 2s, zero + 9s, zero + 2s + 500us);
    EXPECT_EQ(offset.roundTrip(), 100us);
    EXPECT_EQ(offset.toTheirs(zero + 1s), zero + 3s);
}

TEST(ClockOffset, ForgetsWhatIsOld) {
    ClockOffset offset;
    offset.add(zero, zero + 1s, zero);
    for (std::size_t i = 0; i < ClockOffset::remembered; ++i) {
        offset.add(zero, zero + 2s + 1ms, zero + 2ms);
    }
    EXPECT_EQ(offset.count(), ClockOffset::remembered);
    EXPECT_EQ(offset.toTheirs(zero), zero + 2s);
}

}  // namespace
