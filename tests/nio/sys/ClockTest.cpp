#include <nio/sys/Clock.h>

#include <gtest/gtest.h>
#include <sys/prctl.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <limits>
#include <ratio>
#include <thread>
#include <vector>

#include <nio/sys/Kernel.h>

#include "KernelTesting.h"

namespace nio {
namespace {

static_assert(Clock::is_steady);
static_assert(std::chrono::is_clock_v<Clock>);

TEST(Clock, NeverGoesBack) {
    std::vector<TimePoint> times;
    for (int i = 0; i < 10'000; ++i) times.push_back(Clock::now());
    EXPECT_TRUE(std::is_sorted(times.begin(), times.end()));
}

TEST(Clock, GoesOn) {
    const TimePoint begin = Clock::now();
    TimePoint now = begin;
    for (int i = 0; i < 100'000'000 && now == begin; ++i) now = Clock::now();
    EXPECT_GT(now, begin);
}

TEST(Clock, TellsTheTimeOfTheKernel) {
    const TimePoint before = kernel::now();
    const TimePoint between = Clock::now();
    const TimePoint after = kernel::now();
    EXPECT_LE(before, between);
    EXPECT_LE(between, after);
}

TEST(Clock, RunsAtThePaceOfTheSteadyClock) {
    const auto offset = [] {
        return Clock::now().time_since_epoch() -
               std::chrono::steady_clock::now().time_since_epoch();
    };
    // Both read CLOCK_MONOTONIC, so what lies between two readings is only the time they take.
    EXPECT_LT(std::chrono::abs(offset()), std::chrono::seconds(10));
}

TEST(SuspendedTime, IsNeverNegative) {
    for (int i = 0; i < 1000; ++i) ASSERT_GE(kernel::suspendedTime().count(), 0);
}

TEST(ThreadCpuTime, GrowsWithWorkAndNotWithWaiting) {
    const auto begin = kernel::threadCpuTime();
    const TimePoint wall = kernel::now();
    (void)kernel::waitPoll({}, std::chrono::milliseconds(20)).orThrow();
    const auto waited = kernel::threadCpuTime() - begin;
    EXPECT_LT(waited, kernel::now() - wall);
    while (kernel::threadCpuTime() < begin + std::chrono::milliseconds(25)) {
    }
    EXPECT_GE(kernel::now() - wall, std::chrono::milliseconds(25) - waited);
}

TEST(ThreadCpuTime, IsThatOfTheCallingThreadAlone) {
    while (kernel::threadCpuTime() < std::chrono::milliseconds(2)) {
    }
    std::chrono::nanoseconds other{};
    std::thread([&other] { other = kernel::threadCpuTime(); }).join();
    EXPECT_LT(other, kernel::threadCpuTime());
}

TEST(ThreadCpuClock, IsReadByOthersAndIsZeroOnceItsThreadHasEnded) {
    std::atomic<int> clock{kernel::noCpuClock};
    std::atomic<bool> ends{false};
    std::thread thread([&] {
        while (kernel::threadCpuTime() < std::chrono::milliseconds(2)) {
        }
        clock = kernel::threadCpuClock();
        while (!ends) std::this_thread::yield();
    });
    while (clock == kernel::noCpuClock) std::this_thread::yield();
    EXPECT_GE(kernel::cpuTimeOf(clock), std::chrono::milliseconds(2));
    ends = true;
    thread.join();
    // It may still be listed for a moment.
    const TimePoint end = Clock::now() + kerneltest::patience;
    while (kernel::cpuTimeOf(clock).count() > 0 && Clock::now() < end) std::this_thread::yield();
    EXPECT_EQ(kernel::cpuTimeOf(clock), std::chrono::nanoseconds::zero());
}

template <class Duration>
void expectBounded() {
    constexpr std::chrono::hours century(24 * 365 * 100);
    EXPECT_LE(Clock::bounded(Duration::max()), century);
    EXPECT_GT(Clock::bounded(Duration::max()), Clock::duration::zero());
    EXPECT_GE(Clock::bounded(Duration::min()), -century);
    EXPECT_LE(Clock::bounded(Duration::min()), Clock::duration::zero());
    EXPECT_GT(Clock::after(Duration::max()), Clock::now());
    EXPECT_LE(Clock::after(Duration::min()), Clock::now() + std::chrono::seconds(1));
}

TEST(Clock, AddsAnyDurationOfAnyUnit) {
    using std::chrono::duration;
    expectBounded<std::chrono::nanoseconds>();
    expectBounded<std::chrono::microseconds>();
    expectBounded<std::chrono::milliseconds>();
    expectBounded<std::chrono::seconds>();
    expectBounded<std::chrono::minutes>();
    expectBounded<std::chrono::hours>();
    expectBounded<duration<std::int64_t, std::pico>>();
    expectBounded<duration<std::int64_t, std::ratio<86400 * 365>>>();
    expectBounded<duration<std::int32_t, std::milli>>();
    expectBounded<duration<std::uint64_t, std::nano>>();
    constexpr std::chrono::hours century(24 * 365 * 100);
    constexpr double infinite = std::numeric_limits<double>::infinity();
    EXPECT_EQ(Clock::bounded(duration<double>(infinite)), century);
    EXPECT_EQ(Clock::bounded(duration<double>(-infinite)), -century);
    EXPECT_EQ(Clock::bounded(duration<float>(std::numeric_limits<float>::quiet_NaN())), century);
    EXPECT_EQ(Clock::bounded(std::chrono::milliseconds::min() / 2), -century);
    EXPECT_EQ(Clock::bounded(duration<double>(1.5)), std::chrono::milliseconds(1500));
    EXPECT_EQ(Clock::bounded(std::chrono::hours(-2)), -std::chrono::hours(2));
}

TEST(Clock, KnowsTheTimeLeftUntilAnyTime) {
    EXPECT_EQ(Clock::until(TimePoint::min()), Clock::duration::zero());
    EXPECT_EQ(Clock::until(Clock::now()), Clock::duration::zero());
    EXPECT_GT(Clock::until(TimePoint::max()), std::chrono::hours(24 * 365 * 100));
}

TEST(PreciseWaits, AreThoseOfTheThreadThatAsksForThem) {
    const auto slack = [] { return ::prctl(PR_GET_TIMERSLACK); };
    const int before = slack();
    int inside = 0;
    std::thread([&] {
        kernel::makeWaitsPrecise();
        inside = slack();
    }).join();
    EXPECT_EQ(inside, 1);
    EXPECT_EQ(slack(), before);
}

}  // namespace
}  // namespace nio
