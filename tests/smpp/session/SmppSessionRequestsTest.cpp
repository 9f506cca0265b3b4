#include "SessionTesting.h"

namespace smpp {
namespace {

using namespace smpp::smpptest;

SessionOptions numberedFrom(std::uint32_t firstSequence, std::size_t window) {
    SessionOptions options = untimed(Side::smsc);
    options.firstSequence = firstSequence;
    options.window = window;
    return options;
}

class SmppSessionRequests : public ::testing::Test {
  protected:
    SmppSessionRequests() { bindAs(esme, Command::bindTransceiver); }

    Owned esme{untimed(Side::esme)};
};

TEST_F(SmppSessionRequests, AnAnswerBringsBackItsRequestsCookie) {
    nio::Bytes pdu = validPdu(Command::submitSm, 12345);
    EXPECT_EQ(esme.session.request(pdu, 500, esme.now), 2u);
    EXPECT_EQ(esme.sent, validPdu(Command::submitSm, 2));
    EXPECT_EQ(esme.session.outstanding(), 1u);
    esme.receives(Command::submitSmResp, 2);
    EXPECT_EQ(esme.session.outstanding(), 0u);
    EXPECT_EQ(esme.news(), (Lines{"> submit_sm 2", "response submit_sm_resp 2 ESME_ROK to 500"}));
}

TEST_F(SmppSessionRequests, AnswersMayComeInAnyOrder) {
    for (Cookie cookie = 50; cookie < 54; ++cookie) esme.requests(Command::submitSm, cookie);
    esme.news();
    for (std::uint32_t sequence : {4u, 2u, 5u, 3u}) esme.receives(Command::submitSmResp, sequence);
    EXPECT_EQ(esme.news(), (Lines{"response submit_sm_resp 4 ESME_ROK to 52",
                                  "response submit_sm_resp 2 ESME_ROK to 50",
                                  "response submit_sm_resp 5 ESME_ROK to 53",
                                  "response submit_sm_resp 3 ESME_ROK to 51"}));
}

TEST_F(SmppSessionRequests, AnAnswerCountsOnce) {
    esme.requests(Command::submitSm, 50);
    esme.receives(Command::submitSmResp, 2);
    esme.news();
    esme.receives(Command::submitSmResp, 2);
    EXPECT_EQ(esme.news(), Lines{});
    EXPECT_EQ(esme.session.strayAnswers(), 1u);
}

TEST_F(SmppSessionRequests, AnErrorWithoutABodyIsAnAnswer) {
    esme.requests(Command::submitSm, 50);
    esme.news();
    esme.receives(pduOf(Command::submitSmResp, 2, "", Status::throttled));
    EXPECT_EQ(esme.news(), (Lines{"response submit_sm_resp 2 ESME_RTHROTTLED to 50"}));
}

TEST_F(SmppSessionRequests, TheWindowIsNeverExceeded) {
    for (Cookie cookie = 1; cookie <= 10; ++cookie) {
        EXPECT_TRUE(esme.session.mayRequest());
        EXPECT_NE(esme.requests(Command::submitSm, cookie), 0u);
    }
    EXPECT_FALSE(esme.session.mayRequest());
    esme.news();
    EXPECT_EQ(esme.requests(Command::submitSm, 11), 0u);
    EXPECT_EQ(esme.news(), Lines{});

    esme.receives(Command::submitSmResp, 5);
    EXPECT_TRUE(esme.session.mayRequest());
    EXPECT_EQ(esme.requests(Command::submitSm, 12), 12u);
    EXPECT_EQ(esme.session.outstanding(), 10u);
}

TEST_F(SmppSessionRequests, AlertNotificationIgnoresTheWindow) {
    SessionOptions options = untimed(Side::smsc);
    options.window = 1;
    Owned smsc(options);
    bindAs(smsc, Command::bindReceiver);
    smsc.requests(Command::deliverSm, 1);
    EXPECT_EQ(smsc.requests(Command::alertNotification, 2), 2u);
    EXPECT_EQ(smsc.session.outstanding(), 1u);
    smsc.session.disconnected();
    EXPECT_EQ(smsc.news(),
              (Lines{"> deliver_sm 1", "> alert_notification 2", "lost 1 disconnected"}));
}

TEST_F(SmppSessionRequests, WhatTheStateDoesNotAllowIsNotSent) {
    EXPECT_TRUE(esme.session.maySend(Command::submitSm));
    EXPECT_FALSE(esme.session.maySend(Command::deliverSm));
    EXPECT_EQ(esme.requests(Command::deliverSm, 1), 0u);

    Owned receiver(untimed(Side::esme));
    EXPECT_FALSE(receiver.session.mayRequest());
    EXPECT_EQ(receiver.requests(Command::submitSm, 1), 0u);
    bindAs(receiver, Command::bindReceiver);
    EXPECT_FALSE(receiver.session.maySend(Command::submitSm));
    EXPECT_TRUE(receiver.session.maySend(Command::dataSm));
    EXPECT_EQ(receiver.requests(Command::submitSm, 1), 0u);
    EXPECT_EQ(receiver.news(), Lines{});
}

TEST_F(SmppSessionRequests, WhatTheSessionSendsByItselfIsNoRequestOfTheOwner) {
    for (Command command : {Command::bindTransceiver, Command::unbind, Command::enquireLink,
                            Command::submitSmResp, static_cast<Command>(0x0A)}) {
        EXPECT_EQ(esme.requests(command, 1), 0u) << nameOf(command);
    }
    nio::Bytes cut(15);
    EXPECT_EQ(esme.session.request(cut, 1, esme.now), 0u);
    EXPECT_EQ(esme.news(), Lines{});
}

TEST_F(SmppSessionRequests, NothingIsSentOnceTheConnectionIsOver) {
    esme.receives(Command::deliverSm, 8);
    esme.session.disconnected();
    esme.news();
    EXPECT_EQ(esme.requests(Command::submitSm, 1), 0u);
    esme.session.respond(Command::deliverSm, Status::ok, 8);
    esme.session.unbind(esme.now);
    esme.session.disconnected();
    EXPECT_EQ(esme.news(), Lines{});
    EXPECT_FALSE(esme.session.mayRequest());
    EXPECT_EQ(esme.session.nextTick(), Time::max());
}

TEST_F(SmppSessionRequests, EveryAnswerThatIsNotTheRequestsOwnLosesIt) {
    for (Command command : allCommands()) {
        if (!isResponse(command) || command == Command::submitSmResp) continue;
        Owned asked(untimed(Side::esme));
        bindAs(asked, Command::bindTransceiver);
        asked.requests(Command::submitSm, 50);
        asked.news();
        asked.receives(command, 2);
        const bool nack = command == Command::genericNack;
        EXPECT_EQ(asked.news(), (Lines{std::string("lost 50 nacked ") +
                                       (nack ? "ESME_RUNKNOWNERR" : "ESME_RINVCMDID")}))
            << nameOf(command);
    }
}

TEST_F(SmppSessionRequests, AGenericNackSaysWhyTheRequestIsLost) {
    esme.requests(Command::submitSm, 50);
    esme.news();
    esme.receives(pduOf(Command::genericNack, 2, "", Status::invCmdLen));
    EXPECT_EQ(esme.news(), (Lines{"lost 50 nacked ESME_RINVCMDLEN"}));
}

TEST_F(SmppSessionRequests, ADisconnectLosesAllInTheirOrder) {
    for (Cookie cookie = 50; cookie < 53; ++cookie) esme.requests(Command::submitSm, cookie);
    esme.news();
    esme.session.disconnected();
    EXPECT_EQ(esme.news(),
              (Lines{"lost 50 disconnected", "lost 51 disconnected", "lost 52 disconnected"}));
    EXPECT_EQ(esme.session.state(), State::closed);
}

// --- numbers ------------------------------------------------------------------------------------

TEST_F(SmppSessionRequests, NumbersAreOneMoreEachTimeAndWrapToOne) {
    Owned smsc(numberedFrom(0x7FFFFFFE, 10));
    bindAs(smsc, Command::bindReceiver);
    EXPECT_EQ(smsc.requests(Command::deliverSm, 1), 0x7FFFFFFEu);
    EXPECT_EQ(smsc.requests(Command::deliverSm, 2), 0x7FFFFFFFu);
    EXPECT_EQ(smsc.requests(Command::deliverSm, 3), 1u);
    EXPECT_EQ(smsc.requests(Command::deliverSm, 4), 2u);
}

// --- requests of the peer -----------------------------------------------------------------------

TEST_F(SmppSessionRequests, RequestsOfThePeerCountUntilTheyAreAnswered) {
    esme.receives(Command::deliverSm, 8);
    esme.receives(Command::dataSm, 9);
    esme.receives(Command::alertNotification, 10);
    EXPECT_EQ(esme.session.unanswered(), 2u);
    EXPECT_EQ(esme.news(), (Lines{"request deliver_sm 8", "request data_sm 9",
                                  "request alert_notification 10"}));

    esme.session.respond(validPdu(Command::dataSmResp, 9));
    EXPECT_EQ(esme.sent, validPdu(Command::dataSmResp, 9));
    esme.session.respond(Command::deliverSm, Status::xTAppn, 8);
    EXPECT_EQ(esme.sent, pduOf(Command::deliverSmResp, 8, "\0"sv, Status::xTAppn));
    EXPECT_EQ(esme.session.unanswered(), 0u);
}

TEST_F(SmppSessionRequests, AnAnswerTooManyIsSentAndTakesNoOtherRequestsPlace) {
    esme.receives(Command::deliverSm, 8);
    for (int i = 0; i < 2; ++i) esme.session.respond(Command::deliverSm, Status::ok, 8);
    EXPECT_EQ(esme.session.unanswered(), 0u);
    esme.receives(Command::deliverSm, 9);
    esme.receives(Command::unbind, 10);
    EXPECT_EQ(esme.news(), (Lines{"request deliver_sm 8", "> deliver_sm_resp 8 ESME_ROK",
                                  "> deliver_sm_resp 8 ESME_ROK", "request deliver_sm 9"}))
        << "the unbind is answered behind it";
}

// --- room ---------------------------------------------------------------------------------------

TEST_F(SmppSessionRequests, AnIdleSessionIsSmall) {
    EXPECT_LE(sizeof(SmppSession), 400u);
}

}  // namespace
}  // namespace smpp
