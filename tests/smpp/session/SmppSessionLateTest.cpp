// Answers that come when they are waited for no more.
#include "SessionTesting.h"

namespace smpp {
namespace {

using namespace smpp::smpptest;

TEST(SmppSessionLate, AnAnswerThatComesAfterTheTimerIsToldOfOnce) {
    Owned smsc(whoseAnswersAreTimed(Side::smsc));
    bindAs(smsc, Command::bindTransceiver);
    smsc.requests(Command::deliverSm, 50);
    smsc.passes(10s);
    smsc.news();
    smsc.receives(Command::deliverSmResp, 1);
    EXPECT_EQ(smsc.news(), Lines{"late deliver_sm_resp 1 ESME_ROK to 50"});
    EXPECT_EQ(smsc.session.strayAnswers(), 1u);
    smsc.receives(Command::deliverSmResp, 1);
    EXPECT_EQ(smsc.news(), Lines{});
}

TEST(SmppSessionLate, WhatCannotBeTheAnswerIsNoLateOneEither) {
    Owned smsc(whoseAnswersAreTimed(Side::smsc));
    bindAs(smsc, Command::bindTransceiver);
    smsc.requests(Command::deliverSm, 50);
    smsc.passes(10s);
    smsc.news();
    smsc.receives(pduOf(Command::genericNack, 1, "", Status::sysErr));
    EXPECT_EQ(smsc.news(), Lines{});
}

TEST(SmppSessionLate, AsManyMayBeAnsweredLateAsTheWindowHasPlaces) {
    SessionOptions options = whoseAnswersAreTimed(Side::smsc);
    options.window = 2;
    Owned smsc(options);
    bindAs(smsc, Command::bindTransceiver);
    for (Cookie cookie : {50u, 51u, 52u}) {
        smsc.requests(Command::deliverSm, cookie);
        smsc.passes(10s);
    }
    smsc.news();
    for (std::uint32_t sequence : {1u, 2u, 3u}) smsc.receives(Command::deliverSmResp, sequence);
    EXPECT_EQ(smsc.news(), (Lines{"late deliver_sm_resp 2 ESME_ROK to 51",
                                  "late deliver_sm_resp 3 ESME_ROK to 52"}));
}

}  // namespace
}  // namespace smpp
