// The meter of a dispatcher's turns, read by others while the dispatcher goes on.
#include <nio/observe/TurnMeter.h>

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include <nio/sys/Clock.h>

namespace {

using nio::TurnMeter;
using std::chrono::nanoseconds;

void passTime(nanoseconds time = std::chrono::microseconds(100)) {
    const nio::TimePoint end = nio::Clock::now() + time;
    while (nio::Clock::now() < end) {
    }
}

TEST(TurnMeter, AWaitCountsFromItsBeginning) {
    TurnMeter meter;
    passTime();
    meter.goesOn();
    EXPECT_EQ(meter.selectTime(), nanoseconds::zero()) << "what has passed was no wait";
    meter.selects();
    passTime();
    const nanoseconds underWay = meter.selectTime();
    EXPECT_GE(underWay, std::chrono::microseconds(90));
    meter.selected(1);
    const nanoseconds whole = meter.selectTime();
    EXPECT_GE(whole, underWay);
    passTime();
    EXPECT_EQ(meter.selectTime(), whole) << "it does something";
    meter.other();
    meter.selects();
    EXPECT_GE(meter.selectTime(), whole);
}

// Its waits follow one another: any that counted twice would count more than there was.
TEST(TurnMeter, NoReaderSeesTheTimeStepBackOrAWaitTwice) {
    const nio::TimePoint begin = nio::Clock::now();
    TurnMeter meter;
    std::atomic<bool> done{false};
    std::atomic<int> reads{0};
    std::size_t stepsBack = 0;
    std::thread reader([&] {
        nanoseconds last{0};
        while (!done.load()) {
            const nanoseconds now = meter.selectTime();
            stepsBack += now < last;
            last = now;
            reads.fetch_add(1);
        }
    });
    for (int waits = 0; waits < 20'000 || reads.load() < 100'000; ++waits) {
        meter.selects();
        passTime(std::chrono::microseconds(1));
        meter.selected(0);
    }
    done.store(true);
    reader.join();
    EXPECT_EQ(stepsBack, 0U);
    // Ticks may be off by a part in a thousand.
    EXPECT_LE(meter.selectTime(), (nio::Clock::now() - begin) * 101 / 100);
}

TEST(TurnMeter, TwoReadersSeeTheSameClock) {
    TurnMeter meter;
    meter.selects();
    for (int i = 0; i < 100; ++i) {
        const nanoseconds mine = meter.selectTime();
        nanoseconds theirs{0};
        std::thread([&] { theirs = meter.selectTime(); }).join();
        EXPECT_GE(theirs, mine);
    }
}

}  // namespace
