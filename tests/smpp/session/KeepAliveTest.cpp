#include "SessionTesting.h"

#include <smpp/session/KeepAlive.h>

namespace smpp {
namespace {

using namespace smpp::smpptest;
using Timer = SessionClock::Timer;

class KeepAliveTest : public testing::Test {
  protected:
    const SessionTimers timers{0ms, 30s, 60s, 10s, 0ms};
    SessionClock clock{timers};
    KeepAlive keepAlive{clock};
};

TEST_F(KeepAliveTest, APduOfThePeerPutsTheEnquiryOff) {
    keepAlive.start(0s);
    EXPECT_EQ(clock.dueAt(30s), Timer::silence);
    keepAlive.heard(20s);
    EXPECT_EQ(clock.next(), 50s);
}

TEST_F(KeepAliveTest, OnlyTheAnswerToTheEnquiryEndsIt) {
    keepAlive.enquired(7, 0s);
    EXPECT_FALSE(keepAlive.answered(0));
    EXPECT_FALSE(keepAlive.answered(8));
    EXPECT_EQ(clock.next(), 10s);
    EXPECT_TRUE(keepAlive.answered(7));
    EXPECT_EQ(keepAlive.enquiry(), 0u);
    EXPECT_EQ(clock.next(), SessionClock::never);
    EXPECT_FALSE(keepAlive.answered(7)) << "once";
}

TEST_F(KeepAliveTest, AHeldPeerIsNotAskedUntilItIsReadAgain) {
    keepAlive.start(0s);
    keepAlive.enquired(7, 0s);
    keepAlive.hold(true, true, 1s);
    keepAlive.heard(2s);
    EXPECT_EQ(clock.next(), 60s) << "the inactivity timer alone";
    keepAlive.hold(false, true, 40s);
    EXPECT_EQ(clock.next(), 50s) << "the answer has its whole time again";
    EXPECT_EQ(clock.dueAt(50s), Timer::enquiry);
}

TEST_F(KeepAliveTest, ABusySessionIsIdleOneWholeTimeLater) {
    EXPECT_FALSE(keepAlive.isIdle(true, 60s));
    EXPECT_FALSE(keepAlive.isIdle(false, 120s)) << "it was busy at the last look";
    EXPECT_EQ(clock.next(), 180s);
    EXPECT_TRUE(keepAlive.isIdle(false, 180s));
}

TEST_F(KeepAliveTest, AHeldPeerIsNotIdle) {
    keepAlive.hold(true, true, 0s);
    EXPECT_FALSE(keepAlive.isIdle(false, 60s));
}

TEST_F(KeepAliveTest, StopsAllThreeTimers) {
    keepAlive.start(0s);
    keepAlive.enquired(7, 0s);
    keepAlive.stop();
    EXPECT_EQ(clock.next(), SessionClock::never);
}

}  // namespace
}  // namespace smpp
