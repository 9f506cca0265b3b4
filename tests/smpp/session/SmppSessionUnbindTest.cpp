#include "SessionTesting.h"

namespace smpp {
namespace {

using namespace smpp::smpptest;

TEST(SmppSessionUnbind, AnUnbindOfOursEndsWithItsAnswer) {
    for (Side side : {Side::smsc, Side::esme}) {
        Owned owned(untimed(side));
        bindAs(owned, Command::bindTransceiver);
        owned.session.unbind(owned.now);
        owned.session.unbind(owned.now);
        const std::uint32_t sequence = get32(owned.sent, 12);
        EXPECT_EQ(owned.news(), (Lines{"> unbind " + std::to_string(sequence)}));
        EXPECT_FALSE(owned.session.isBound());
        EXPECT_EQ(owned.requests(Command::dataSm, 1), 0u);

        owned.receives(Command::unbindResp, sequence);
        EXPECT_EQ(owned.news(), (Lines{"ended: the session was unbound"}));
        EXPECT_EQ(owned.session.state(), State::unbound);
    }
}

TEST(SmppSessionUnbind, AnUnbindLeavesBehindAllThatIsUnderWayEitherWay) {
    Owned esme(whoseAnswersAreTimed(Side::esme));
    bindAs(esme, Command::bindTransceiver);
    const std::uint32_t submitted = esme.requests(Command::submitSm, 50);
    esme.receives(Command::deliverSm, 8);
    esme.news();
    esme.session.unbind(esme.now);
    esme.session.unbind(esme.now);
    EXPECT_EQ(esme.news(), Lines{});
    EXPECT_FALSE(esme.session.isBound());
    EXPECT_EQ(esme.requests(Command::submitSm, 51), 0u);
    esme.receives(Command::submitSmResp, submitted);
    EXPECT_EQ(esme.news(), (Lines{"response submit_sm_resp 2 ESME_ROK to 50"}));
    esme.session.respond(Command::deliverSm, Status::ok, 8);
    EXPECT_EQ(esme.news(), (Lines{"> deliver_sm_resp 8 ESME_ROK", "> unbind 3"}));
    esme.receives(Command::unbindResp, 3);
    EXPECT_EQ(esme.news(), (Lines{"ended: the session was unbound"}));
}

TEST(SmppSessionUnbind, OnceOurUnbindIsDecidedThePeerBeginsNothing) {
    Owned esme(whoseAnswersAreTimed(Side::esme));
    bindAs(esme, Command::bindTransceiver);
    esme.receives(Command::deliverSm, 8);
    esme.session.unbind(esme.now);
    esme.news();
    esme.receives(Command::deliverSm, 9);
    esme.receives(Command::enquireLink, 10);
    esme.receives(Command::submitSm, 11);
    EXPECT_EQ(esme.news(),
              (Lines{"> deliver_sm_resp 9 ESME_RX_T_APPN", "> enquire_link_resp 10 ESME_ROK",
                     "> submit_sm_resp 11 ESME_RINVBNDSTS"}));
    esme.session.respond(Command::deliverSm, Status::ok, 8);
    esme.news();
    esme.receives(Command::deliverSm, 12);
    EXPECT_EQ(esme.news(), (Lines{"> deliver_sm_resp 12 ESME_RX_T_APPN"}));

    Owned smsc(whoseAnswersAreTimed(Side::smsc));
    bindAs(smsc, Command::bindTransceiver);
    smsc.session.unbind(smsc.now);
    smsc.news();
    smsc.receives(Command::submitSm, 9);
    smsc.receives(Command::bindTransceiver, 10);
    EXPECT_EQ(smsc.news(), (Lines{"> submit_sm_resp 9 ESME_RSYSERR",
                                  "> bind_transceiver_resp 10 ESME_RALYBND"}));
}

TEST(SmppSessionUnbind, AnUnbindOfThePeerGoesBeforeOursThatStillWaits) {
    Owned smsc(whoseAnswersAreTimed(Side::smsc));
    bindAs(smsc, Command::bindTransceiver);
    smsc.receives(Command::submitSm, 3);
    smsc.session.unbind(smsc.now);
    smsc.receives(Command::unbind, 5);
    smsc.news();
    smsc.session.respond(Command::submitSm, Status::ok, 3);
    EXPECT_EQ(smsc.news(), (Lines{"> submit_sm_resp 3 ESME_ROK", "> unbind_resp 5 ESME_ROK",
                                  "ended: the session was unbound"}));
}

TEST(SmppSessionUnbind, TwoUnbindsThatCrossEndOnce) {
    Owned esme(untimed(Side::esme));
    bindAs(esme, Command::bindTransceiver);
    esme.session.unbind(esme.now);
    esme.news();
    esme.receives(Command::unbind, 4);
    esme.receives(Command::unbindResp, 2);
    EXPECT_EQ(esme.news(), (Lines{"> unbind_resp 4 ESME_ROK", "ended: the session was unbound"}));
}

TEST(SmppSessionUnbind, AnUnbindOfNobodyEndsAtOnce) {
    Owned smsc(untimed(Side::smsc));
    smsc.session.unbind(smsc.now);
    smsc.session.unbind(smsc.now);
    EXPECT_EQ(smsc.news(), (Lines{"ended: the session was unbound"}));
}

TEST(SmppSessionUnbind, ThePeersUnbindIsAnsweredAfterItsRequests) {
    Owned smsc(untimed(Side::smsc));
    bindAs(smsc, Command::bindTransceiver);
    smsc.receives(Command::submitSm, 3);
    smsc.receives(Command::submitSm, 4);
    smsc.receives(Command::unbind, 5);
    smsc.news();
    smsc.receives(Command::submitSm, 6);
    EXPECT_EQ(smsc.news(), (Lines{"> submit_sm_resp 6 ESME_RINVBNDSTS"}));
    smsc.session.respond(Command::submitSm, Status::ok, 3);
    EXPECT_FALSE(smsc.session.isBound());
    smsc.news();
    smsc.session.respond(Command::submitSm, Status::sysErr, 4);
    EXPECT_EQ(smsc.news(), (Lines{"> submit_sm_resp 4 ESME_RSYSERR", "> unbind_resp 5 ESME_ROK",
                                  "ended: the session was unbound"}));
}

TEST(SmppSessionUnbind, AnUnbindOfThePeerIsAnsweredBehindItsAnswersToUs) {
    Owned esme(whoseAnswersAreTimed(Side::esme));
    bindAs(esme, Command::bindTransceiver);
    const std::uint32_t answered = esme.requests(Command::submitSm, 50);
    const std::uint32_t nacked = esme.requests(Command::querySm, 51);
    esme.receives(Command::unbind, 4);
    esme.news();
    EXPECT_EQ(esme.requests(Command::submitSm, 52), 0u);
    esme.receives(Command::submitSmResp, answered);
    EXPECT_EQ(esme.news(), (Lines{"response submit_sm_resp 2 ESME_ROK to 50"}));
    esme.receives(pduOf(Command::genericNack, nacked, "", Status::invCmdId));
    EXPECT_EQ(esme.news(), (Lines{"lost 51 nacked ESME_RINVCMDID", "> unbind_resp 4 ESME_ROK",
                                  "ended: the session was unbound"}));
}

TEST(SmppSessionUnbind, ThePeersUnbindWaitsUpToTheResponseTimer) {
    Owned esme(whoseAnswersAreTimed(Side::esme));
    bindAs(esme, Command::bindTransceiver);
    esme.requests(Command::submitSm, 50);
    esme.passes(4s);
    esme.receives(Command::unbind, 4);
    esme.news();
    esme.passes(5s);
    EXPECT_EQ(esme.news(), Lines{});
    esme.passes(1s);
    EXPECT_EQ(esme.news(), (Lines{"lost 50 timedOut", "> unbind_resp 4 ESME_ROK",
                                  "ended: the session was unbound"}));
}

TEST(SmppSessionUnbind, ThePeersUnbindPrecedesOurWaitingOne) {
    Owned esme(whoseAnswersAreTimed(Side::esme));
    bindAs(esme, Command::bindTransceiver);
    const std::uint32_t submitted = esme.requests(Command::submitSm, 50);
    esme.session.unbind(esme.now);
    esme.receives(Command::unbind, 4);
    esme.news();
    esme.receives(Command::submitSmResp, submitted);
    EXPECT_EQ(esme.news(), (Lines{"response submit_sm_resp 2 ESME_ROK to 50",
                                  "> unbind_resp 4 ESME_ROK", "ended: the session was unbound"}));
}

TEST(SmppSessionUnbind, WithoutAResponseTimerAPeersUnbindDoesNotWait) {
    Owned esme(untimed(Side::esme));
    bindAs(esme, Command::bindTransceiver);
    esme.requests(Command::submitSm, 50);
    esme.requests(Command::querySm, 51);
    esme.news();
    esme.receives(Command::unbind, 4);
    EXPECT_EQ(esme.news(), (Lines{"> unbind_resp 4 ESME_ROK", "lost 50 disconnected",
                                  "lost 51 disconnected", "ended: the session was unbound"}));
}

TEST(SmppSessionUnbind, ThePeerIsAskedNothingOnceItHasAskedForIt) {
    SessionOptions options = untimed(Side::smsc);
    options.timers.enquireLink = 5s;
    options.timers.inactivity = 6s;
    options.timers.response = 10s;
    Owned smsc(options);
    bindAs(smsc, Command::bindTransceiver);
    smsc.passes(4s);
    smsc.receives(Command::submitSm, 7);
    smsc.passes(5s);
    smsc.news();  // an enquire_link of ours, which it does not answer any more
    smsc.receives(Command::unbind, 8);
    smsc.news();
    smsc.passes(60s);
    EXPECT_EQ(smsc.news(), Lines{}) << "the owner may take its time";
    smsc.session.respond(Command::submitSm, Status::ok, 7);
    EXPECT_EQ(smsc.news(), (Lines{"> submit_sm_resp 7 ESME_ROK", "> unbind_resp 8 ESME_ROK",
                                  "ended: the session was unbound"}));
}

}  // namespace
}  // namespace smpp
