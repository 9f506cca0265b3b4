// A peer that we do not read from: holdPeer().
#include "SessionTesting.h"

namespace smpp {
namespace {

using namespace smpp::smpptest;

// The response timer is 10 s, enquire_link comes after 30 s.
SessionOptions slow() {
    SessionOptions options = untimed(Side::smsc);
    options.timers.response = 10s;
    options.timers.enquireLink = 30s;
    return options;
}

TEST(SmppSessionHold, APeerThatIsHeldLosesNoRequestAndIsNotAsked) {
    Owned smsc(slow());
    bindAs(smsc, Command::bindTransceiver);
    smsc.requests(Command::deliverSm, 7);
    smsc.session.holdPeer(true, smsc.now);
    smsc.news();
    EXPECT_EQ(smsc.session.nextTick(), Time::max());
    smsc.passes(1h);
    EXPECT_EQ(smsc.news(), Lines{});
}

TEST(SmppSessionHold, ItsTimersBeginAnewWhenItIsReadFromAgain) {
    Owned smsc(slow());
    bindAs(smsc, Command::bindTransceiver);
    smsc.passes(9s);
    smsc.requests(Command::deliverSm, 7);
    smsc.session.holdPeer(true, smsc.now);
    smsc.passes(1h);
    smsc.session.holdPeer(false, smsc.now);
    smsc.news();
    smsc.passes(9s);
    EXPECT_EQ(smsc.news(), Lines{});
    smsc.passes(1s);
    EXPECT_EQ(smsc.news(), (Lines{"lost 7 timedOut"}));
    smsc.passes(20s);
    EXPECT_EQ(smsc.news(), (Lines{"> enquire_link 2"}));
}

TEST(SmppSessionHold, AQuestionThatWaitedHasItsWholeTimeAgain) {
    Owned smsc(slow());
    bindAs(smsc, Command::bindTransceiver);
    smsc.passes(30s);
    smsc.session.holdPeer(true, smsc.now);
    smsc.passes(1h);
    smsc.session.holdPeer(false, smsc.now);
    smsc.news();
    smsc.passes(9s);
    EXPECT_EQ(smsc.news(), Lines{});
    smsc.passes(1s);
    EXPECT_EQ(smsc.news(), (Lines{"ended: the peer did not answer enquire_link"}));
}

TEST(SmppSessionHold, WhatItSaidBeforeDoesNotStartTheTimers) {
    Owned smsc(slow());
    bindAs(smsc, Command::bindTransceiver);
    smsc.session.holdPeer(true, smsc.now);
    smsc.receives(Command::submitSm, 2);
    EXPECT_EQ(smsc.session.nextTick(), Time::max());
}

TEST(SmppSessionHold, ASessionThatIsNotBoundHasNoTimersToBegin) {
    Owned smsc(slow());
    smsc.session.holdPeer(true, smsc.now);
    smsc.session.holdPeer(false, smsc.now);
    EXPECT_EQ(smsc.session.nextTick(), Time::max());
}

TEST(SmppSessionHold, ASessionThatIsOverIsNotHeld) {
    Owned smsc(slow());
    bindAs(smsc, Command::bindTransceiver);
    smsc.session.disconnected();
    smsc.session.holdPeer(true, smsc.now);
    smsc.session.holdPeer(false, smsc.now);
    EXPECT_EQ(smsc.session.nextTick(), Time::max());
}

}  // namespace
}  // namespace smpp
