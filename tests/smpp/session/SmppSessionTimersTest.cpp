#include "SessionTesting.h"

namespace smpp {
namespace {

using namespace smpp::smpptest;

// One timer at a time; the response timer is a second.
SessionOptions with(Side side, milliseconds SessionTimers::*timer, milliseconds period) {
    SessionOptions options = untimed(side);
    options.timers.response = 1s;
    options.timers.*timer = period;
    return options;
}

// Just before `period` nothing happens, just then `expected`.
void expectAfter(Owned& owned, milliseconds period, const Lines& expected) {
    EXPECT_EQ(owned.session.nextTick(), owned.now + period);
    owned.passes(period - 1ms);
    EXPECT_EQ(owned.news(), Lines{});
    owned.passes(1ms);
    EXPECT_EQ(owned.news(), expected);
}

TEST(SmppSessionTimers, ATimerOfZeroIsOff) {
    Owned smsc(untimed(Side::smsc));
    EXPECT_EQ(smsc.session.nextTick(), Time::max());
    bindAs(smsc, Command::bindTransceiver);
    smsc.requests(Command::deliverSm, 1);
    smsc.session.waitsForRest(5, smsc.now);
    EXPECT_EQ(smsc.session.nextTick(), Time::max());
    smsc.news();
    smsc.passes(1h);
    EXPECT_EQ(smsc.news(), Lines{});
}

// --- session init -------------------------------------------------------------------------------

TEST(SmppSessionTimers, WhoeverDoesNotBindInTimeIsDisconnected) {
    for (Side side : {Side::smsc, Side::esme}) {
        Owned owned(with(side, &SessionTimers::sessionInit, 5s));
        expectAfter(owned, 5s, {"ended: nobody bound in time"});
        EXPECT_EQ(owned.session.state(), State::closed);
        EXPECT_EQ(owned.session.nextTick(), Time::max());
    }
}

TEST(SmppSessionTimers, EnquireLinkIsNoBind) {
    Owned smsc(with(Side::smsc, &SessionTimers::sessionInit, 5s));
    smsc.passes(4s);
    smsc.receives(Command::enquireLink, 1);
    smsc.news();
    expectAfter(smsc, 1s, {"ended: nobody bound in time"});
}

TEST(SmppSessionTimers, APendingBindStopsTheSessionInitTimer) {
    Owned smsc(with(Side::smsc, &SessionTimers::sessionInit, 5s));
    smsc.passes(4s);
    smsc.receives(Command::bindTransceiver, 1);
    EXPECT_EQ(smsc.session.nextTick(), Time::max());
    smsc.session.acceptBind(smsc.now);
    smsc.news();
    smsc.passes(1min);
    EXPECT_EQ(smsc.news(), Lines{});
}

TEST(SmppSessionTimers, AMalformedBindDoesNotStopTheSessionInitTimer) {
    Owned smsc(with(Side::smsc, &SessionTimers::sessionInit, 5s));
    smsc.receives(pduOf(Command::bindTransceiver, 1, "esme1"));
    smsc.news();
    expectAfter(smsc, 5s, {"ended: nobody bound in time"});
}

TEST(SmppSessionTimers, ABindOfOursHasTheResponseTimerInsteadOfSessionInit) {
    SessionOptions options = with(Side::esme, &SessionTimers::sessionInit, 5s);
    options.timers.response = 3s;
    Owned esme(options);
    esme.passes(4s);
    esme.session.bind({}, esme.now);
    esme.news();
    expectAfter(esme, 3s, {"ended: nobody bound in time"});
}

TEST(SmppSessionTimers, ABoundSessionWithoutRequestsHasNothingDue) {
    for (Side side : {Side::smsc, Side::esme}) {
        SessionOptions options = with(side, &SessionTimers::sessionInit, 5s);
        options.timers.pduRead = 3s;
        Owned owned(options);
        bindAs(owned, Command::bindTransceiver);
        EXPECT_EQ(owned.session.nextTick(), Time::max());
    }
}

// --- enquire_link -------------------------------------------------------------------------------

TEST(SmppSessionTimers, ASilentPeerIsAsked) {
    Owned smsc(with(Side::smsc, &SessionTimers::enquireLink, 30s));
    bindAs(smsc, Command::bindTransceiver);
    expectAfter(smsc, 30s, {"> enquire_link 1"});
    smsc.receives(Command::enquireLinkResp, 1);
    expectAfter(smsc, 30s, {"> enquire_link 2"});
}

TEST(SmppSessionTimers, EveryPduOfThePeerPutsTheQuestionOff) {
    Owned smsc(with(Side::smsc, &SessionTimers::enquireLink, 30s));
    bindAs(smsc, Command::bindTransceiver);
    std::uint32_t sequence = 2;
    for (Command command : {Command::submitSm, Command::enquireLink, Command::submitSmResp,
                            static_cast<Command>(0x0A)}) {
        smsc.passes(20s);
        smsc.receives(command, sequence++);
    }
    smsc.news();
    expectAfter(smsc, 30s, {"> enquire_link 1"});
}

TEST(SmppSessionTimers, ARequestOfOursDoesNotPutTheQuestionOff) {
    SessionOptions options = with(Side::smsc, &SessionTimers::enquireLink, 30s);
    options.timers.response = 1min;
    Owned smsc(options);
    bindAs(smsc, Command::bindTransceiver);
    smsc.passes(20s);
    smsc.requests(Command::deliverSm, 1);
    smsc.news();
    expectAfter(smsc, 10s, {"> enquire_link 2"});
}

TEST(SmppSessionTimers, APeerThatDoesNotAnswerTheQuestionIsDisconnected) {
    Owned smsc(with(Side::smsc, &SessionTimers::enquireLink, 30s));
    bindAs(smsc, Command::bindTransceiver);
    smsc.passes(30s);
    smsc.requests(Command::deliverSm, 7);
    smsc.news();
    expectAfter(smsc, 1s, {"lost 7 timedOut", "ended: the peer did not answer enquire_link"});
}

TEST(SmppSessionTimers, AnAnswerThatCannotBeReadShowsThatSomebodyIsThere) {
    for (const nio::Bytes& answer :
         {pduOf(Command::genericNack, 1, "", Status::invCmdId),
          pduOf(Command::enquireLinkResp, 1, "body"), validPdu(Command::submitSmResp, 1)}) {
        Owned smsc(with(Side::smsc, &SessionTimers::enquireLink, 30s));
        bindAs(smsc, Command::bindTransceiver);
        smsc.passes(30s);
        smsc.receives(answer);
        smsc.news();
        expectAfter(smsc, 30s, {"> enquire_link 2"});
    }
}

TEST(SmppSessionTimers, AQuestionIsNotRepeatedWhileItWaits) {
    SessionOptions options = with(Side::smsc, &SessionTimers::enquireLink, 2s);
    options.timers.response = 10s;
    Owned smsc(options);
    bindAs(smsc, Command::bindTransceiver);
    smsc.passes(2s);
    smsc.receives(Command::submitSm, 2);
    smsc.news();
    smsc.passes(5s);
    EXPECT_EQ(smsc.news(), Lines{});
    smsc.receives(Command::enquireLinkResp, 1);
    expectAfter(smsc, 2s, {"> enquire_link 2"});
}

TEST(SmppSessionTimers, ABindThatCameInTwoPiecesHasNoRestAnyMore) {
    Owned smsc(with(Side::smsc, &SessionTimers::pduRead, 10s));
    smsc.session.waitsForRest(5, smsc.now);
    smsc.receives(Command::bindTransceiver, 1);
    smsc.session.acceptBind(smsc.now);
    smsc.news();
    EXPECT_EQ(smsc.session.nextTick(), Time::max());
}

TEST(SmppSessionTimers, WhatIsBehindABindIsLateOnceTheBindIsAccepted) {
    Owned smsc(with(Side::smsc, &SessionTimers::pduRead, 10s));
    smsc.receives(Command::bindTransceiver, 1);
    smsc.receives(Command::submitSm, 2);
    smsc.session.waitsForRest(5, smsc.now);
    smsc.session.acceptBind(smsc.now);
    smsc.news();
    expectAfter(smsc, 10s, {"ended: a PDU did not become whole in time"});
}

// --- inactivity ---------------------------------------------------------------------------------

TEST(SmppSessionTimers, APeerWithoutMessagesIsUnbound) {
    Owned smsc(with(Side::smsc, &SessionTimers::inactivity, 10s));
    bindAs(smsc, Command::bindTransceiver);
    expectAfter(smsc, 10s, {"> unbind 1"});
    smsc.receives(Command::unbindResp, 1);
    EXPECT_EQ(smsc.news(), (Lines{"ended: no message for too long"}));
    EXPECT_EQ(smsc.session.state(), State::unbound);
}

TEST(SmppSessionTimers, EnquireLinkIsNoActivity) {
    Owned smsc(with(Side::smsc, &SessionTimers::inactivity, 10s));
    bindAs(smsc, Command::bindTransceiver);
    smsc.passes(9s);
    smsc.receives(Command::enquireLink, 1);
    smsc.news();
    expectAfter(smsc, 1s, {"> unbind 1"});
}

TEST(SmppSessionTimers, RequestsOfEitherSideAreActivity) {
    Owned smsc(with(Side::smsc, &SessionTimers::inactivity, 10s));
    bindAs(smsc, Command::bindTransceiver);
    smsc.passes(9s);
    smsc.receives(Command::submitSm, 2);
    smsc.session.respond(Command::submitSm, Status::ok, 2);
    smsc.passes(9s);
    smsc.requests(Command::deliverSm, 7);
    smsc.receives(Command::deliverSmResp, 1);
    smsc.news();
    expectAfter(smsc, 10s, {"> unbind 2"});
}

TEST(SmppSessionTimers, WhoWaitsForAnAnswerIsNotIdle) {
    SessionOptions options = with(Side::smsc, &SessionTimers::inactivity, 10s);
    options.timers.response = 1h;
    Owned smsc(options);
    bindAs(smsc, Command::bindTransceiver);
    smsc.receives(Command::submitSm, 2);
    smsc.news();
    smsc.passes(10s);
    EXPECT_EQ(smsc.news(), Lines{}) << "it waits for us";
    smsc.session.respond(Command::submitSm, Status::ok, 2);
    smsc.requests(Command::deliverSm, 7);
    smsc.news();
    smsc.passes(10s);
    EXPECT_EQ(smsc.news(), Lines{}) << "we wait for it";
    smsc.receives(Command::deliverSmResp, 1);
    smsc.session.holdPeer(true, smsc.now);
    smsc.news();
    smsc.passes(10s);
    EXPECT_EQ(smsc.news(), Lines{}) << "nobody listens to it";
    smsc.passes(9s);
    smsc.session.holdPeer(false, smsc.now);
    smsc.passes(9s);
    EXPECT_EQ(smsc.news(), Lines{}) << "it was busy until a moment ago";
    smsc.passes(10s);
    EXPECT_EQ(smsc.news(), (Lines{"> unbind 2"}));
}

TEST(SmppSessionTimers, AnUnbindThatNobodyAnswersEndsAfterTheResponseTimer) {
    Owned smsc(with(Side::smsc, &SessionTimers::inactivity, 10s));
    bindAs(smsc, Command::bindTransceiver);
    smsc.passes(10s);
    smsc.news();
    expectAfter(smsc, 1s, {"ended: no message for too long"});

    Owned esme(with(Side::esme, &SessionTimers::inactivity, 0s));
    bindAs(esme, Command::bindTransceiver);
    esme.session.unbind(esme.now);
    esme.news();
    expectAfter(esme, 1s, {"ended: the session was unbound"});
}

TEST(SmppSessionTimers, NothingIsAskedOnceWeHaveUnbound) {
    SessionOptions options = with(Side::smsc, &SessionTimers::enquireLink, 5s);
    options.timers.inactivity = 6s;
    options.timers.response = 10s;
    Owned smsc(options);
    bindAs(smsc, Command::bindTransceiver);
    smsc.session.unbind(smsc.now);
    smsc.news();
    expectAfter(smsc, 10s, {"ended: the session was unbound"});
}

TEST(SmppSessionTimers, AnUnbindWaitsForAnswersUpToTheResponseTimer) {
    Owned smsc(with(Side::smsc, &SessionTimers::response, 10s));
    bindAs(smsc, Command::bindTransceiver);
    smsc.receives(Command::submitSm, 5);
    smsc.session.unbind(smsc.now);
    smsc.news();
    expectAfter(smsc, 10s, {"> unbind 1"});
    expectAfter(smsc, 10s, {"ended: the session was unbound"});
}

TEST(SmppSessionTimers, WithoutAResponseTimerAnUnbindWaitsForNothing) {
    Owned smsc(with(Side::smsc, &SessionTimers::response, 0s));
    bindAs(smsc, Command::bindTransceiver);
    smsc.requests(Command::deliverSm, 50);
    smsc.news();
    smsc.session.unbind(smsc.now);
    EXPECT_EQ(smsc.news(), (Lines{"> unbind 2"}));
}

TEST(SmppSessionTimers, ALostRequestIsTheLastThatAnUnbindWaitsFor) {
    Owned smsc(with(Side::smsc, &SessionTimers::response, 10s));
    bindAs(smsc, Command::bindTransceiver);
    smsc.requests(Command::deliverSm, 50);
    smsc.passes(4s);
    smsc.session.unbind(smsc.now);
    smsc.news();
    expectAfter(smsc, 6s, {"lost 50 timedOut", "> unbind 2"});
    smsc.receives(Command::unbindResp, 2);
    EXPECT_EQ(smsc.news(), (Lines{"ended: the session was unbound"}));
}

// --- response -----------------------------------------------------------------------------------

TEST(SmppSessionTimers, ARequestThatIsNotAnsweredInTimeIsLost) {
    Owned smsc(with(Side::smsc, &SessionTimers::response, 10s));
    bindAs(smsc, Command::bindTransceiver);
    smsc.requests(Command::deliverSm, 50);
    smsc.passes(4s);
    smsc.requests(Command::deliverSm, 51);
    smsc.news();
    expectAfter(smsc, 6s, {"lost 50 timedOut"});
    EXPECT_EQ(smsc.session.outstanding(), 1u);
    expectAfter(smsc, 4s, {"lost 51 timedOut"});
    EXPECT_TRUE(smsc.session.isBound());
}

TEST(SmppSessionTimers, AnAnswerBeforeTheTickIsInTime) {
    Owned smsc(with(Side::smsc, &SessionTimers::response, 10s));
    bindAs(smsc, Command::bindTransceiver);
    smsc.requests(Command::deliverSm, 50);
    smsc.news();
    smsc.now += 11s;
    smsc.receives(Command::deliverSmResp, 1);
    smsc.passes(0s);
    EXPECT_EQ(smsc.news(), (Lines{"response deliver_sm_resp 1 ESME_ROK to 50"}));
}

TEST(SmppSessionTimers, TheNextTickIsThatOfTheOldestRequest) {
    Owned smsc(with(Side::smsc, &SessionTimers::response, 10s));
    bindAs(smsc, Command::bindTransceiver);
    smsc.requests(Command::deliverSm, 50);
    smsc.passes(4s);
    smsc.requests(Command::deliverSm, 51);
    EXPECT_EQ(smsc.session.nextTick(), 10s);
    smsc.receives(Command::deliverSmResp, 1);
    EXPECT_EQ(smsc.session.nextTick(), 14s);
    smsc.receives(Command::deliverSmResp, 2);
    EXPECT_EQ(smsc.session.nextTick(), Time::max());
}

// --- PDU read -----------------------------------------------------------------------------------

TEST(SmppSessionTimers, APduThatDoesNotBecomeWholeEndsTheSession) {
    Owned smsc(with(Side::smsc, &SessionTimers::pduRead, 10s));
    bindAs(smsc, Command::bindTransceiver);
    smsc.session.waitsForRest(3, smsc.now);
    smsc.passes(6s);
    smsc.session.waitsForRest(4, smsc.now);
    expectAfter(smsc, 4s, {"ended: a PDU did not become whole in time"});
}

TEST(SmppSessionTimers, ThePduReadTimerCountsForEachPduAnew) {
    Owned smsc(with(Side::smsc, &SessionTimers::pduRead, 10s));
    smsc.session.waitsForRest(3, smsc.now);
    smsc.passes(6s);
    smsc.receives(Command::enquireLink, 1);
    smsc.session.waitsForRest(3, smsc.now);
    smsc.news();
    EXPECT_EQ(smsc.session.nextTick(), 16s);
    smsc.receives(Command::enquireLink, 2);
    smsc.session.waitsForRest(0, smsc.now);
    EXPECT_EQ(smsc.session.nextTick(), Time::max());
}

TEST(SmppSessionTimers, ThePduReadTimerStandsStillWhileABindWaits) {
    Owned smsc(with(Side::smsc, &SessionTimers::pduRead, 10s));
    smsc.receives(Command::bindTransceiver, 1);
    smsc.session.waitsForRest(3, smsc.now);
    smsc.passes(1min);
    smsc.session.acceptBind(smsc.now);
    smsc.news();
    expectAfter(smsc, 10s, {"ended: a PDU did not become whole in time"});
}

// --- all together -------------------------------------------------------------------------------

TEST(SmppSessionTimers, WhatIsLostIsToldBeforeTheEnd) {
    SessionOptions options = untimed(Side::smsc);
    options.timers.pduRead = 10s;
    options.timers.response = 1min;
    Owned smsc(options);
    bindAs(smsc, Command::bindTransceiver);
    smsc.requests(Command::deliverSm, 50);
    smsc.session.waitsForRest(3, smsc.now);
    smsc.news();
    smsc.passes(10s);
    EXPECT_EQ(smsc.news(),
              (Lines{"lost 50 disconnected", "ended: a PDU did not become whole in time"}));
}

}  // namespace
}  // namespace smpp
