#include "SessionTesting.h"

#include <smpp/session/SessionClock.h>

namespace smpp {
namespace {

using namespace std::chrono_literals;
using Timer = SessionClock::Timer;

TEST(SessionClock, LongerThanTimeGoesIsNever) {
    SessionClock clock;
    clock.start(Timer::silence, Time(1h), std::chrono::milliseconds::max());
    EXPECT_FALSE(clock.runs(Timer::silence));
}

TEST(SessionClock, NothingIsDueAtFirst) {
    SessionClock clock;
    EXPECT_EQ(clock.next(), SessionClock::never);
    EXPECT_EQ(clock.dueAt(1000h), std::nullopt);
}

TEST(SessionClock, KnowsTheTimerThatIsDueNext) {
    SessionClock clock;
    clock.start(Timer::silence, 5s, 60s);
    clock.start(Timer::pduRead, 6s, 10s);
    EXPECT_EQ(clock.next(), 16s);
    EXPECT_EQ(clock.dueAt(16s - 1ns), std::nullopt);
    EXPECT_EQ(clock.dueAt(16s), Timer::pduRead);
    clock.stop(Timer::pduRead);
    EXPECT_FALSE(clock.runs(Timer::pduRead));
    EXPECT_EQ(clock.next(), 65s);
    EXPECT_EQ(clock.dueAt(2min), Timer::silence);
}

TEST(SessionClock, ATimerOfZeroIsOffAndStopsTheOneThatRan) {
    SessionClock clock;
    clock.start(Timer::inactivity, 0s, 5s);
    EXPECT_TRUE(clock.runs(Timer::inactivity));
    clock.start(Timer::inactivity, 1s, 0s);
    EXPECT_FALSE(clock.runs(Timer::inactivity));
    EXPECT_EQ(SessionClock::after(7s, 0ms), SessionClock::never);
    EXPECT_EQ(SessionClock::after(7s, 1ms), 7s + 1ms);
}

TEST(SessionClock, AnsweringComesBeforeAsking) {
    SessionClock clock;
    for (Timer timer : {Timer::silence, Timer::inactivity, Timer::enquiry}) {
        clock.start(timer, 0s, 5s);
    }
    EXPECT_EQ(clock.dueAt(5s), Timer::enquiry);
    clock.stopAll();
    EXPECT_EQ(clock.next(), SessionClock::never);
}

}  // namespace
}  // namespace smpp
