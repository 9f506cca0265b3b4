// The tables of malformed and unexpected input in docs/smpp.md: every row.
#include "SessionTesting.h"

namespace smpp {
namespace {

using namespace smpp::smpptest;

// What a session as SMSC, bound as a transceiver or not yet bound, does with these octets.
struct InputRow {
    std::string_view what;
    nio::Bytes octets;
    Lines outcome;
    State before = State::boundTrx;
};

void expectRow(const InputRow& row, Side side) {
    SCOPED_TRACE(row.what);
    Owned owned(untimed(side));
    if (row.before == State::boundTrx) bindAs(owned, Command::bindTransceiver);
    const Framed framed = PduFramer().next(row.octets);
    ASSERT_NE(framed.kind, Framed::Kind::needMore);
    owned.session.received(framed, owned.now);
    EXPECT_EQ(owned.news(), row.outcome);
    const bool closed = !row.outcome.empty() && row.outcome.back().starts_with("ended");
    EXPECT_EQ(owned.session.state(), closed ? State::closed : row.before);
}

void expectRows(const std::vector<InputRow>& rows, Side side = Side::smsc) {
    for (const InputRow& row : rows) expectRow(row, side);
}

constexpr auto badLength = "ended: a command_length that cannot be";

nio::Bytes submitSm(std::string_view body) {
    return pduOf(Command::submitSm, 7, body);
}

Lines submitAnswer(std::string_view status) {
    return {"> submit_sm_resp 7 " + std::string(status)};
}

// A submit_sm from its service_type to the octet before sm_length, with these in it.
struct SubmitBody {
    std::string serviceType = "";
    std::string source = "1";
    std::string destination = "2";
    std::string schedule = "";
    std::string validity = "";

    std::string operator()(std::string_view behind) const {
        return serviceType + "\0\1\1"s + source + "\0\1\1"s + destination + "\0\0\0\0"s + schedule +
               "\0"s + validity + "\0\0\0\0\0"s + std::string(behind);
    }
};

// --- the header ---------------------------------------------------------------------------------

TEST(SmppSessionInput, ABadLengthIsNackedAndClosesTheConnection) {
    const Lines answered{"> generic_nack 7 ESME_RINVCMDLEN", badLength};
    const Lines unnumbered{"> generic_nack 0 ESME_RINVCMDLEN", badLength};
    std::vector<InputRow> rows{
        {"the header is cut", {nio::Byte{0}, nio::Byte{0}, nio::Byte{0}, nio::Byte{4}}, unnumbered},
        {"over the maximum", rawPdu(72 * 1024 + 1, 4, 0, 7), answered},
        {"two gigabytes", rawPdu(0x7FFFFFFF, 4, 0, 7), answered},
        {"all ones", rawPdu(0xFFFFFFFF, 4, 0, 7), answered, State::open},
    };
    for (std::uint32_t length : {0u, 1u, 4u, 15u}) {
        rows.push_back({"under 16", rawPdu(length, 4, 0, 7), answered});
        rows.push_back(
            {"under 16, before the bind", rawPdu(length, 9, 0, 7), answered, State::open});
    }
    expectRows(rows);
}

TEST(SmppSessionInput, TheLongestPduIsRead) {
    const std::size_t body = PduFramer::defaultMaximum - 16;
    const nio::Bytes longest = pduOf(static_cast<Command>(0x0A), 7, std::string(body, 'x'));
    expectRows({{"72 KiB", longest, {"> generic_nack 7 ESME_RINVCMDID"}}});
}

TEST(SmppSessionInput, AnUnknownCommandIsNacked) {
    for (std::uint32_t command : {0x0u, 0xAu, 0x100u, 0x111u, 0x10200u, 0x7FFFFFFFu}) {
        for (State state : {State::open, State::boundTrx}) {
            expectRows({{"unknown",
                         rawPdu(19, command, 0, 7, "any"),
                         {"> generic_nack 7 ESME_RINVCMDID"},
                         state}});
        }
    }
}

TEST(SmppSessionInput, AnUnknownAnswerIsDropped) {
    expectRows({{"unknown answer", rawPdu(19, 0x8000000A, 0, 7, "any"), {}}});
}

TEST(SmppSessionInput, TheStatusAndTheNumberOfARequestAreNotJudged) {
    expectRows({
        {"a status",
         pduOf(Command::submitSm, 7, bodyOf(Command::submitSm), Status::sysErr),
         {"request submit_sm 7"}},
        {"sequence number 0",
         validPdu(Command::enquireLink, 0),
         {"> enquire_link_resp 0 ESME_ROK"}},
        {"sequence number over 0x7FFFFFFF",
         validPdu(Command::enquireLink, 0xFFFFFFFF),
         {"> enquire_link_resp 4294967295 ESME_ROK"}},
    });
}

// --- the state (the whole table: SmppSessionTableTest) ------------------------------------------

TEST(SmppSessionInput, ARequestInTheWrongStateIsAnsweredSo) {
    expectRows({
        {"submit_sm before the bind", validPdu(Command::submitSm, 7),
         submitAnswer("ESME_RINVBNDSTS"), State::open},
        {"deliver_sm from an ESME",
         validPdu(Command::deliverSm, 7),
         {"> deliver_sm_resp 7 ESME_RINVBNDSTS"}},
        {"a second bind",
         validPdu(Command::bindReceiver, 7),
         {"> bind_receiver_resp 7 ESME_RALYBND"}},
        {"alert_notification from an ESME",
         validPdu(Command::alertNotification, 7),
         {"> generic_nack 7 ESME_RINVBNDSTS"}},
        {"outbind from an ESME",
         validPdu(Command::outbind, 7),
         {"> generic_nack 7 ESME_RINVBNDSTS"},
         State::open},
        {"enquire_link before the bind",
         validPdu(Command::enquireLink, 7),
         {"> enquire_link_resp 7 ESME_ROK"},
         State::open},
        {"malformed and in the wrong state", submitSm("x"), submitAnswer("ESME_RINVBNDSTS"),
         State::open},
    });
}

// --- the body -----------------------------------------------------------------------------------

TEST(SmppSessionInput, ABodyThatIsCutOrTooLongIsAnsweredWithInvalidLength) {
    expectRows({
        {"no body", submitSm(""), submitAnswer("ESME_RINVCMDLEN")},
        {"ends before source_addr_ton", submitSm("\0"sv), submitAnswer("ESME_RINVCMDLEN")},
        {"ends before sm_length", submitSm(SubmitBody{}("")), submitAnswer("ESME_RINVCMDLEN")},
        {"enquire_link with a body",
         pduOf(Command::enquireLink, 7, "x"),
         {"> enquire_link_resp 7 ESME_RINVCMDLEN"}},
        {"unbind with a body", pduOf(Command::unbind, 7, "x"), {"> unbind_resp 7 ESME_RINVCMDLEN"}},
        {"query_sm with octets behind it",
         pduOf(Command::querySm, 7, std::string(bodyOf(Command::querySm)) + "x"),
         {"> query_sm_resp 7 ESME_RINVCMDLEN"}},
        {"bind with octets behind it",
         pduOf(Command::bindReceiver, 7, std::string(bodyOf(Command::bindReceiver)) + "\0"s),
         {"> bind_receiver_resp 7 ESME_RINVCMDLEN"},
         State::open},
    });
}

TEST(SmppSessionInput, AnUnterminatedStringGetsItsFieldsStatus) {
    const std::string six = "123456";
    const std::string address(21, '1');
    const std::string id(65, '1');
    const SubmitBody longType{six, "1", "2", "", ""};
    const SubmitBody longSource{"", address, "2", "", ""};
    const SubmitBody longDestination{"", "1", address, "", ""};
    const SubmitBody shortSchedule{"", "1", "2", "0001", ""};
    const SubmitBody shortValidity{"", "1", "2", "", "0001"};
    expectRows({
        {"service_type", submitSm(longType("\0"sv)), submitAnswer("ESME_RINVSERTYP")},
        {"source_addr", submitSm(longSource("\0"sv)), submitAnswer("ESME_RINVSRCADR")},
        {"destination_addr", submitSm(longDestination("\0"sv)), submitAnswer("ESME_RINVDSTADR")},
        {"destination_addr, cut",
         submitSm("\0\1\1"
                  "1\0"
                  "\1\1"
                  "2"sv),
         submitAnswer("ESME_RINVDSTADR")},
        {"schedule_delivery_time", submitSm(shortSchedule("\0"sv)), submitAnswer("ESME_RINVSCHED")},
        {"validity_period", submitSm(shortValidity("\0"sv)), submitAnswer("ESME_RINVEXPIRY")},
        {"message_id",
         pduOf(Command::querySm, 7, id + "\0\0\0\0"s),
         {"> query_sm_resp 7 ESME_RINVMSGID"}},
    });
}

TEST(SmppSessionInput, AMalformedBindIsAnsweredAndMayBeTriedAgain) {
    const auto bind = [](std::string_view body) { return pduOf(Command::bindReceiver, 7, body); };
    const auto answered = [](std::string_view status) {
        return Lines{"> bind_receiver_resp 7 " + std::string(status)};
    };
    expectRows({
        {"system_id", bind("1234567890123456\0p\0\0\x34\0\0\0"sv), answered("ESME_RINVSYSID"),
         State::open},
        {"password",
         bind("esme1\0"
              "123456789\0\0\x34\0\0\0"sv),
         answered("ESME_RINVPASWD"), State::open},
        {"system_type",
         bind("esme1\0p\0"
              "1234567890123\0\x34\0\0\0"sv),
         answered("ESME_RINVSYSTYP"), State::open},
        {"address_range", bind("esme1\0p\0\0\x34\0\0no end"sv), answered("ESME_RBINDFAIL"),
         State::open},
        {"no interface_version", bind("esme1\0p\0\0"sv), answered("ESME_RINVCMDLEN"), State::open},
    });

    Owned smsc(untimed(Side::smsc));
    smsc.receives(bind(""));
    smsc.news();
    smsc.receives(Command::bindReceiver, 8);
    EXPECT_EQ(smsc.news(), (Lines{"bindRequested bind_receiver 8"}));
}

TEST(SmppSessionInput, ATruncatedMessageGetsInvalidMessageLength) {
    expectRows({
        {"sm_length past the end", submitSm(SubmitBody{}("\5hi"sv)),
         submitAnswer("ESME_RINVMSGLEN")},
        {"sm_length over 254", submitSm(SubmitBody{}("\xFF" + std::string(255, 'x'))),
         submitAnswer("ESME_RINVMSGLEN")},
    });
}

TEST(SmppSessionInput, DestinationsThatCannotBeAreAnsweredWithTheirStatus) {
    const auto to = [](std::string_view destinations) {
        return pduOf(Command::submitMulti, 7,
                     "\0\0\0\0"s + std::string(destinations) + std::string(10, '\0'));
    };
    const auto answered = [](std::string_view status) {
        return Lines{"> submit_multi_resp 7 " + std::string(status)};
    };
    expectRows({
        {"none", to("\0"sv), answered("ESME_RINVNUMDESTS")},
        {"255", to("\xFF"sv), answered("ESME_RINVNUMDESTS")},
        {"dest_flag 3", to("\1\3\0\0001\0"sv), answered("ESME_RINVDESTFLAG")},
        {"an address without its NUL",
         to("\1\1\0\0"
            "123456789012345678901"sv),
         answered("ESME_RINVDSTADR")},
        {"a list without its NUL",
         to("\1\2"
            "123456789012345678901"sv),
         answered("ESME_RINVDLNAME")},
    });
}

TEST(SmppSessionInput, InvalidOptionalParametersGetTheirStatus) {
    const auto with = [](std::string_view tlvs) {
        return submitSm(SubmitBody{}("\0"s + std::string(tlvs)));
    };
    expectRows({
        {"cut in its head", with("\2\4\0"sv), submitAnswer("ESME_RINVOPTPARSTREAM")},
        {"cut in its value", with("\2\4\0\2\1"sv), submitAnswer("ESME_RINVOPTPARSTREAM")},
        {"a length that its tag cannot have", with("\2\4\0\1\1"sv),
         submitAnswer("ESME_RINVPARLEN")},
        {"an unknown tag", with("\x14\1\0\1\1"sv), {"request submit_sm 7"}},
        {"the same tag twice", with("\2\4\0\2\1\1\2\4\0\2\1\1"sv), {"request submit_sm 7"}},
    });
}

TEST(SmppSessionInput, WhatHasNoResponseIsNackedOrClosesTheConnection) {
    expectRows({{"malformed alert_notification",
                 pduOf(Command::alertNotification, 7, ""),
                 {"> generic_nack 7 ESME_RINVCMDLEN"}},
                {"malformed outbind",
                 pduOf(Command::outbind, 7, "x"),
                 {"ended: the peer broke the protocol"},
                 State::open}},
               Side::esme);
}

// --- answers ------------------------------------------------------------------------------------

class SmppSessionAnswers : public ::testing::Test {
  protected:
    SmppSessionAnswers() {
        bindAs(esme, Command::bindTransceiver);
        esme.requests(Command::submitSm, 50);
        esme.news();
    }
    Lines outcomeOf(const nio::Bytes& answer) {
        esme.receives(answer);
        return esme.news();
    }

    Owned esme{untimed(Side::esme)};
};

TEST_F(SmppSessionAnswers, ToNothingAreDroppedAndCounted) {
    EXPECT_EQ(outcomeOf(validPdu(Command::submitSmResp, 3)), Lines{});
    EXPECT_EQ(outcomeOf(pduOf(Command::genericNack, 0, "", Status::invCmdLen)), Lines{});
    EXPECT_EQ(esme.session.strayAnswers(), 2u);
    EXPECT_EQ(esme.session.outstanding(), 1u);
}

TEST_F(SmppSessionAnswers, ThatAreMalformedLoseTheRequestAndAreNotAnswered) {
    EXPECT_EQ(outcomeOf(pduOf(Command::submitSmResp, 2, std::string(65, '1'))),
              (Lines{"lost 50 nacked ESME_RINVMSGID"}));
    EXPECT_TRUE(esme.session.isBound());
}

TEST_F(SmppSessionAnswers, ResponsesWithMalformedOptionsStillCount) {
    EXPECT_EQ(outcomeOf(pduOf(Command::submitSmResp, 2, "id\0\2\4\0"sv)),
              (Lines{"response submit_sm_resp 2 ESME_ROK to 50"}));
}

TEST_F(SmppSessionAnswers, OfAnotherCommandLoseTheRequest) {
    EXPECT_EQ(outcomeOf(rawPdu(16, 0x8000000A, 0, 2)), (Lines{"lost 50 nacked ESME_RINVCMDID"}));
}

TEST_F(SmppSessionAnswers, WithAnErrorAreAnswersWhateverTheirBody) {
    EXPECT_EQ(outcomeOf(pduOf(Command::submitSmResp, 2, "no string", Status::msgQFul)),
              (Lines{"response submit_sm_resp 2 ESME_RMSGQFUL to 50"}));
}

TEST_F(SmppSessionAnswers, WithAVendorsStatusKeepIt) {
    EXPECT_EQ(outcomeOf(rawPdu(16, 0x80000004, 0x412, 2)),
              (Lines{"response submit_sm_resp 2 0x00000412 to 50"}));
}

TEST(SmppSessionInput, AnAnswerToOurBindThatIsNoneEndsTheSession) {
    const std::pair<nio::Bytes, std::string> answers[] = {
        {pduOf(Command::genericNack, 1, "", Status::invCmdId), "ESME_RINVCMDID"},
        {pduOf(Command::bindReceiverResp, 1, "smsc\0"sv), "ESME_RINVCMDID"},
        {pduOf(Command::bindTransceiverResp, 1, "no string of this field"),
         "ESME_RINVSYSID unread"},
    };
    for (const auto& [answer, status] : answers) {
        Owned esme(untimed(Side::esme));
        esme.session.bind({}, esme.now);
        esme.news();
        esme.receives(answer);
        EXPECT_EQ(esme.news(), (Lines{"bindAnswered " + status, "ended: the bind was refused"}));
    }
}

TEST(SmppSessionInput, AnyAnswerToOurUnbindEndsTheSession) {
    for (const nio::Bytes& answer :
         {pduOf(Command::unbindResp, 2, "", Status::sysErr), pduOf(Command::unbindResp, 2, "x"),
          pduOf(Command::genericNack, 2, "", Status::invCmdId)}) {
        Owned esme(untimed(Side::esme));
        bindAs(esme, Command::bindTransceiver);
        esme.session.unbind(esme.now);
        esme.news();
        esme.receives(answer);
        EXPECT_EQ(esme.news(), (Lines{"ended: the session was unbound"}));
    }
}

}  // namespace
}  // namespace smpp
