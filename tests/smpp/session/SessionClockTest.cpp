#include "SessionTesting.h"

#include <smpp/session/SessionClock.h>

namespace smpp {
namespace {

using namespace std::chrono_literals;
using Timer = SessionClock::Timer;

SessionTimers timersOf(std::chrono::milliseconds each) {
    return {each, each, each, each, each};
}

TEST(SessionClock, LongerThanTimeGoesIsNever) {
    const SessionTimers timers = timersOf(std::chrono::milliseconds::max());
    SessionClock clock(timers);
    clock.start(Timer::silence, 1h);
    EXPECT_FALSE(clock.runs(Timer::silence));
}

TEST(SessionClock, NothingIsDueAtFirst) {
    const SessionTimers timers;
    const SessionClock clock(timers);
    EXPECT_EQ(clock.next(), SessionClock::never);
    EXPECT_EQ(clock.dueAt(1000h), std::nullopt);
}

TEST(SessionClock, EachTimerHasItsPeriod) {
    const SessionTimers timers{1s, 2s, 3s, 4s, 5s};
    const auto dueOf = [&](Timer timer) {
        SessionClock clock(timers);
        clock.start(timer, 10s);
        return clock.next();
    };
    EXPECT_EQ(dueOf(Timer::sessionInit), 11s);
    EXPECT_EQ(dueOf(Timer::silence), 12s);
    EXPECT_EQ(dueOf(Timer::inactivity), 13s);
    EXPECT_EQ(dueOf(Timer::handshake), 14s);
    EXPECT_EQ(dueOf(Timer::enquiry), 14s);
    EXPECT_EQ(dueOf(Timer::pduRead), 15s);
    EXPECT_EQ(SessionClock(timers).answerDue(10s), 14s);
}

TEST(SessionClock, KnowsTheTimerThatIsDueNext) {
    SessionTimers timers;
    timers.enquireLink = 60s;
    timers.pduRead = 10s;
    SessionClock clock(timers);
    clock.start(Timer::silence, 5s);
    clock.start(Timer::pduRead, 6s);
    EXPECT_EQ(clock.next(), 16s);
    EXPECT_EQ(clock.dueAt(16s - 1ns), std::nullopt);
    EXPECT_EQ(clock.dueAt(16s), Timer::pduRead);
    clock.stop(Timer::pduRead);
    EXPECT_FALSE(clock.runs(Timer::pduRead));
    EXPECT_EQ(clock.next(), 65s);
    EXPECT_EQ(clock.dueAt(2min), Timer::silence);
}

TEST(SessionClock, ATimerOfZeroIsOff) {
    const SessionTimers off = timersOf(0ms);
    SessionClock clock(off);
    clock.start(Timer::inactivity, 1s);
    EXPECT_FALSE(clock.runs(Timer::inactivity));
    EXPECT_FALSE(clock.answersAreTimed());
    EXPECT_EQ(clock.answerDue(7s), SessionClock::never);
    const SessionTimers shortest = timersOf(1ms);
    EXPECT_TRUE(SessionClock(shortest).answersAreTimed());
    EXPECT_EQ(SessionClock(shortest).answerDue(7s), 7s + 1ms);
}

TEST(SessionClock, AnsweringComesBeforeAsking) {
    const SessionTimers timers = timersOf(5s);
    SessionClock clock(timers);
    for (Timer timer : {Timer::silence, Timer::inactivity, Timer::enquiry}) clock.start(timer, 0s);
    EXPECT_EQ(clock.dueAt(5s), Timer::enquiry);
    clock.stopAll();
    EXPECT_EQ(clock.next(), SessionClock::never);
}

}  // namespace
}  // namespace smpp
