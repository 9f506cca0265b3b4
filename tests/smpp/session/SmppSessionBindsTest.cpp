#include "SessionTesting.h"

namespace smpp {
namespace {

using namespace smpp::smpptest;

nio::Bytes bindWithVersion(std::uint8_t version) {
    std::string body = "esme1\0secret1\0\0"s;
    body += static_cast<char>(version);
    return pduOf(Command::bindTransceiver, 3, body + "\0\0\0"s);
}

nio::Bytes bindAnswerWith(std::string_view behindSystemId, std::uint32_t sequence = 1) {
    return pduOf(Command::bindTransceiverResp, sequence,
                 std::string("smsc\0"sv) + std::string(behindSystemId));
}

// --- as SMSC ------------------------------------------------------------------------------------

TEST(SmppSessionBinds, AnAcceptedBindIsAnsweredWithOurNameAndVersion) {
    Owned smsc(untimed(Side::smsc));
    smsc.receives(Command::bindTransceiver, 3);
    EXPECT_EQ(smsc.news(), (Lines{"bindRequested bind_transceiver 3"}));
    EXPECT_EQ(smsc.session.state(), State::open);

    smsc.session.acceptBind(smsc.now);
    EXPECT_EQ(smsc.news(), (Lines{"> bind_transceiver_resp 3 ESME_ROK"}));
    EXPECT_EQ(smsc.sent, rawPdu(26, 0x80000009, 0, 3, "smsc\0\x02\x10\0\x01\x34"sv));
    EXPECT_EQ(smsc.session.state(), State::boundTrx);
    EXPECT_TRUE(smsc.session.isBound());
    EXPECT_TRUE(smsc.session.mayRequest());
}

TEST(SmppSessionBinds, EachKindOfBindLeadsToItsState) {
    const std::pair<Command, State> kinds[] = {{Command::bindTransmitter, State::boundTx},
                                               {Command::bindReceiver, State::boundRx},
                                               {Command::bindTransceiver, State::boundTrx}};
    for (Side side : {Side::smsc, Side::esme}) {
        for (const auto& [kind, state] : kinds) {
            Owned owned(untimed(side));
            bindAs(owned, kind);
            EXPECT_EQ(owned.session.state(), state) << nameOf(kind);
        }
    }
}

TEST(SmppSessionBinds, ThePeersVersionIsAtMostOurs) {
    const std::pair<int, int> versions[] = {{0x00, 0x00}, {0x33, 0x33}, {0x34, 0x34}, {0x50, 0x34}};
    for (const auto& [theirs, agreed] : versions) {
        Owned smsc(untimed(Side::smsc));
        smsc.receives(bindWithVersion(static_cast<std::uint8_t>(theirs)));
        smsc.session.acceptBind(smsc.now);
        EXPECT_EQ(smsc.session.peerVersion(), agreed);
        EXPECT_EQ(smsc.session.peerKnowsTlvs(), agreed >= 0x34);
    }
}

TEST(SmppSessionBinds, APeerBefore34GetsNoTlvInTheAnswer) {
    Owned smsc(untimed(Side::smsc));
    smsc.receives(bindWithVersion(0x33));
    smsc.session.acceptBind(smsc.now);
    EXPECT_EQ(smsc.sent, rawPdu(21, 0x80000009, 0, 3, "smsc\0"sv));
}

TEST(SmppSessionBinds, APeerOf50IsAnsweredWithOurVersion) {
    Owned smsc(untimed(Side::smsc));
    smsc.receives(bindWithVersion(0x50));
    smsc.session.acceptBind(smsc.now);
    EXPECT_EQ(smsc.sent, rawPdu(26, 0x80000009, 0, 3, "smsc\0\x02\x10\0\x01\x34"sv));
}

TEST(SmppSessionBinds, ARefusedBindHasNoBodyAndEndsTheSession) {
    Owned smsc(untimed(Side::smsc));
    smsc.receives(Command::bindReceiver, 9);
    smsc.news();
    smsc.session.refuseBind(Status::invPaswd, smsc.now);
    EXPECT_EQ(smsc.news(),
              (Lines{"> bind_receiver_resp 9 ESME_RINVPASWD", "ended: the bind was refused"}));
    EXPECT_EQ(smsc.sent.size(), 16u);
    EXPECT_EQ(smsc.session.state(), State::closed);
}

TEST(SmppSessionBinds, ARefusalWithoutAReasonIsABindThatFailed) {
    Owned smsc(untimed(Side::smsc));
    smsc.receives(Command::bindReceiver, 9);
    smsc.session.refuseBind(Status::ok, smsc.now);
    EXPECT_EQ(told(smsc.sent), "bind_receiver_resp 9 ESME_RBINDFAIL");
}

TEST(SmppSessionBinds, AnAnswerThatNobodyWaitsForIsIgnored) {
    Owned smsc(untimed(Side::smsc));
    smsc.session.acceptBind(smsc.now);
    smsc.session.refuseBind(Status::invPaswd, smsc.now);
    EXPECT_EQ(smsc.session.state(), State::open);

    smsc.receives(Command::bindReceiver, 9);
    smsc.session.disconnected();
    smsc.news();
    smsc.session.acceptBind(smsc.now);
    smsc.session.refuseBind(Status::invPaswd, smsc.now);
    EXPECT_EQ(smsc.news(), Lines{});
    EXPECT_EQ(smsc.session.state(), State::closed);
}

TEST(SmppSessionBinds, RequestsDuringAPendingBindAreReportedLater) {
    Owned smsc(untimed(Side::smsc));
    smsc.receives(Command::bindTransmitter, 1);
    smsc.receives(Command::submitSm, 2);
    EXPECT_EQ(smsc.news(), (Lines{"bindRequested bind_transmitter 1"}));
    smsc.session.acceptBind(smsc.now);
    EXPECT_EQ(smsc.news(), (Lines{"> bind_transmitter_resp 1 ESME_ROK", "request submit_sm 2"}));
}

TEST(SmppSessionBinds, FurtherRequestsWhileTheBindWaitsAreAnsweredAtOnce) {
    Owned smsc(untimed(Side::smsc));
    smsc.receives(Command::bindTransmitter, 1);
    smsc.receives(Command::bindTransmitter, 2);
    smsc.news();
    smsc.receives(Command::submitSm, 3);
    smsc.receives(Command::bindTransmitter, 4);
    smsc.receives(Command::enquireLink, 5);
    EXPECT_EQ(smsc.news(), (Lines{"> submit_sm_resp 3 ESME_RINVBNDSTS",
                                  "> bind_transmitter_resp 4 ESME_RINVBNDSTS",
                                  "> enquire_link_resp 5 ESME_ROK"}));
    smsc.session.acceptBind(smsc.now);
    EXPECT_EQ(smsc.news(), (Lines{"> bind_transmitter_resp 1 ESME_ROK",
                                  "> bind_transmitter_resp 2 ESME_RALYBND"}));
}

TEST(SmppSessionBinds, AnEnquireLinkIsAnsweredDuringAPendingBind) {
    Owned smsc(untimed(Side::smsc));
    smsc.receives(Command::bindTransmitter, 1);
    smsc.news();
    smsc.receives(Command::enquireLink, 2);
    EXPECT_EQ(smsc.news(), (Lines{"> enquire_link_resp 2 ESME_ROK"}));
    EXPECT_FALSE(smsc.session.holdsRequest());
    smsc.receives(Command::submitSm, 3);
    EXPECT_TRUE(smsc.session.holdsRequest());
    EXPECT_EQ(smsc.news(), Lines{});
}

TEST(SmppSessionBinds, WhatWaitsBehindARefusedBindIsDropped) {
    Owned smsc(untimed(Side::smsc));
    smsc.receives(Command::bindTransmitter, 1);
    smsc.receives(Command::submitSm, 2);
    smsc.news();
    smsc.session.refuseBind(Status::invPaswd, smsc.now);
    EXPECT_EQ(smsc.news(),
              (Lines{"> bind_transmitter_resp 1 ESME_RINVPASWD", "ended: the bind was refused"}));
}

// --- as ESME ------------------------------------------------------------------------------------

TEST(SmppSessionBinds, BindsWithTheFieldsOfTheSpecification) {
    Owned esme(untimed(Side::esme));
    esme.session.bind({Command::bindReceiver, "esme1", "secret1", "VMA", 1, 2, "44*"}, esme.now);
    EXPECT_EQ(esme.sent, rawPdu(41, 1, 0, 1,
                                "esme1\0secret1\0VMA\0\x34\1\2"
                                "44*\0"sv));
    EXPECT_EQ(esme.session.state(), State::open);

    esme.receives(Command::bindReceiverResp, 1);
    EXPECT_EQ(esme.news(), (Lines{"> bind_receiver 1", "bindAnswered ESME_ROK"}));
    EXPECT_EQ(esme.session.state(), State::boundRx);
}

TEST(SmppSessionBinds, TheAnswerSaysTheVersionOfTheSmsc) {
    const std::pair<std::string_view, int> versions[] = {
        {"\x02\x10\0\x01\x33"sv, 0x33},
        {"\x02\x10\0\x01\x34"sv, 0x34},
        {"\x02\x10\0\x01\x50"sv, 0x34},
        {"\x02\x10\0\x01\0"sv, 0x34},
        {""sv, 0x34},  // many of 3.4 leave it out
    };
    for (const auto& [tlv, agreed] : versions) {
        Owned esme(untimed(Side::esme));
        esme.session.bind({}, esme.now);
        esme.receives(bindAnswerWith(tlv));
        EXPECT_EQ(esme.session.state(), State::boundTrx);
        EXPECT_EQ(esme.session.peerVersion(), agreed);
    }
}

TEST(SmppSessionBinds, AnSmscThatWeBindToAs33IsOf33) {
    SessionOptions options = untimed(Side::esme);
    options.interfaceVersion = 0x33;
    Owned esme(options);
    esme.session.bind({Command::bindTransmitter, "esme1", "secret1", "", 0, 0, ""}, esme.now);
    EXPECT_EQ(esme.sent, rawPdu(35, 2, 0, 1, "esme1\0secret1\0\0\x33\0\0\0"sv));
    esme.receives(Command::bindTransmitterResp, 1);
    EXPECT_EQ(esme.session.peerVersion(), 0x33);
    EXPECT_FALSE(esme.session.peerKnowsTlvs());
}

TEST(SmppSessionBinds, ABindThatTheSmscRefusesEndsTheSession) {
    Owned esme(untimed(Side::esme));
    esme.session.bind({}, esme.now);
    esme.receives(pduOf(Command::bindTransceiverResp, 1, "", Status::invPaswd));
    EXPECT_EQ(esme.news(), (Lines{"> bind_transceiver 1", "bindAnswered ESME_RINVPASWD",
                                  "ended: the bind was refused"}));
}

TEST(SmppSessionBinds, ABindIsSentOnceAndOnlyByAnEsme) {
    Owned esme(untimed(Side::esme));
    esme.session.bind({}, esme.now);
    esme.session.bind({}, esme.now);
    EXPECT_EQ(esme.news(), (Lines{"> bind_transceiver 1"}));
    esme.receives(bindAnswerWith(""));
    esme.news();
    esme.session.bind({}, esme.now);
    EXPECT_EQ(esme.news(), Lines{});

    Owned smsc(untimed(Side::smsc));
    smsc.session.bind({}, smsc.now);
    EXPECT_EQ(smsc.news(), Lines{});
}

// --- outbind ------------------------------------------------------------------------------------

TEST(SmppSessionBinds, AnOutbindAsksForABind) {
    Owned smsc(untimed(Side::smsc));
    smsc.session.outbind("smsc", "secret", smsc.now);
    EXPECT_EQ(smsc.sent, rawPdu(28, 0x0B, 0, 1, "smsc\0secret\0"sv));
    EXPECT_EQ(smsc.session.state(), State::outbound);

    Owned esme(untimed(Side::esme));
    esme.receives(smsc.sent);
    EXPECT_EQ(esme.news(), (Lines{"outbindArrived smsc"}));
    esme.session.bind({Command::bindReceiver, "esme1", "secret1", "", 0, 0, ""}, esme.now);
    smsc.receives(esme.sent);
    smsc.session.acceptBind(smsc.now);
    esme.receives(smsc.sent);
    EXPECT_EQ(smsc.session.state(), State::boundRx);
    EXPECT_EQ(esme.session.state(), State::boundRx);
}

TEST(SmppSessionBinds, AnOutbindBehindOurBindIsTooLate) {
    Owned esme(untimed(Side::esme));
    esme.session.bind({}, esme.now);
    esme.news();
    esme.receives(Command::outbind, 1);
    EXPECT_EQ(esme.news(), (Lines{"> generic_nack 1 ESME_RINVBNDSTS"}));
    EXPECT_EQ(esme.session.state(), State::open);
}

}  // namespace
}  // namespace smpp
