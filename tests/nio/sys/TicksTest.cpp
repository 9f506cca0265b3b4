#include <nio/sys/Ticks.h>

#include <gtest/gtest.h>

namespace {

using nio::kernel::TickClock;
using nio::kernel::Ticks;

TEST(Ticks, TheKernelsClockCountsNanoseconds) {
    const TickClock clock;
    EXPECT_FALSE(clock.isCounter());
    EXPECT_EQ(clock.nanoseconds(12345), 12345U);
    constexpr Ticks large = Ticks{0x123456789A} << 20 | 7;
    EXPECT_EQ(clock.nanoseconds(large), large);
}

TEST(Ticks, GoOnAtTheSpeedOfTheClock) {
    const TickClock clock = TickClock::best();
    const nio::TimePoint before = nio::Clock::now();
    const Ticks first = clock.now();
    const nio::TimePoint began = nio::Clock::now();
    while (nio::Clock::now() - began < std::chrono::milliseconds(5)) {
    }
    const Ticks last = clock.now();
    const nio::TimePoint after = nio::Clock::now();
    const std::chrono::nanoseconds passed = clock.time(last - first);
    // A part in a thousand is promised: this is to find a wrong unit, not an inaccuracy.
    EXPECT_GT(passed, std::chrono::milliseconds(4));
    EXPECT_LT(passed, (after - before) * 5 / 4);
}

TEST(Ticks, AreOfOneKindInAProcess) {
    EXPECT_EQ(TickClock::best().isCounter(), TickClock::best().isCounter());
    EXPECT_EQ(TickClock::best().nanoseconds(1'000'000), TickClock::best().nanoseconds(1'000'000));
}

}  // namespace
