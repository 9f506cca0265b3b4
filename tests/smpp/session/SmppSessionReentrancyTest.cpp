// Owners that call the session from inside its events.
#include "SessionTesting.h"

namespace smpp {
namespace {

using namespace smpp::smpptest;

bool begins(const std::string& line, std::string_view word) {
    return line.starts_with(word);
}

class SmppSessionReentrancy : public ::testing::Test {
  protected:
    SmppSessionReentrancy() {
        SessionOptions options = untimed(Side::smsc);
        options.timers.response = 10s;
        smsc = std::make_unique<Owned>(options);
        bindAs(*smsc, Command::bindTransceiver);
    }

    // Once, behind the next line that begins so.
    void at(std::string_view word, std::function<void()> call) {
        smsc->then = [this, word, call = std::move(call)](const std::string& line) {
            if (!begins(line, word)) return;
            const std::function<void()> once = call;
            smsc->then = nullptr;
            once();
        };
    }

    std::unique_ptr<Owned> smsc;
};

TEST_F(SmppSessionReentrancy, ABindIsAcceptedOrRefusedInsideItsEvent) {
    Owned accepting(untimed(Side::smsc));
    accepting.then = [&](const std::string& line) {
        if (begins(line, "bindRequested")) accepting.session.acceptBind(accepting.now);
    };
    accepting.receives(Command::bindReceiver, 1);
    EXPECT_EQ(accepting.session.state(), State::boundRx);

    Owned refusing(untimed(Side::smsc));
    refusing.then = [&](const std::string& line) {
        if (begins(line, "bind")) refusing.session.refuseBind(Status::bindFail, refusing.now);
    };
    refusing.receives(Command::bindReceiver, 1);
    EXPECT_EQ(refusing.session.state(), State::closed);
}

TEST_F(SmppSessionReentrancy, ARequestIsAnsweredInsideItsEvent) {
    at("request", [&] { smsc->session.respond(Command::submitSm, Status::ok, 5); });
    smsc->receives(Command::submitSm, 5);
    EXPECT_EQ(smsc->session.unanswered(), 0u);
    EXPECT_EQ(smsc->news(), (Lines{"request submit_sm 5", "> submit_sm_resp 5 ESME_ROK"}));
}

TEST_F(SmppSessionReentrancy, AnAnswerMakesRoomForTheNextRequest) {
    for (Cookie cookie = 1; cookie <= 10; ++cookie) smsc->requests(Command::deliverSm, cookie);
    smsc->news();
    at("response", [&] { EXPECT_EQ(smsc->requests(Command::deliverSm, 11), 11u); });
    smsc->receives(Command::deliverSmResp, 1);
    EXPECT_EQ(smsc->session.outstanding(), 10u);
}

TEST_F(SmppSessionReentrancy, ALostRequestIsRepeatedInsideItsEvent) {
    for (Cookie cookie = 1; cookie <= 10; ++cookie) smsc->requests(Command::deliverSm, cookie);
    smsc->news();
    at("lost 1", [&] { EXPECT_NE(smsc->requests(Command::deliverSm, 11), 0u); });
    smsc->passes(10s);
    EXPECT_EQ(smsc->news().size(), 11u);
    EXPECT_EQ(smsc->session.outstanding(), 1u);
    EXPECT_EQ(smsc->session.nextTick(), smsc->now + 10s);
}

TEST_F(SmppSessionReentrancy, UnbindInsideARequest) {
    at("request", [&] { smsc->session.unbind(smsc->now); });
    smsc->receives(Command::submitSm, 5);
    smsc->session.respond(Command::submitSm, Status::ok, 5);
    smsc->receives(Command::unbindResp, 1);
    EXPECT_EQ(smsc->news(), (Lines{"request submit_sm 5", "> submit_sm_resp 5 ESME_ROK",
                                   "> unbind 1", "ended: the session was unbound"}));
}

TEST_F(SmppSessionReentrancy, ADisconnectInsideEachEventLosesEachRequestOnce) {
    for (const char* word : {"request", "response", "lost", ">"}) {
        SCOPED_TRACE(word);
        Owned owned(untimed(Side::smsc));
        bindAs(owned, Command::bindTransceiver);
        for (Cookie cookie = 1; cookie <= 3; ++cookie) owned.requests(Command::deliverSm, cookie);
        owned.news();
        owned.then = [&](const std::string& line) {
            if (!begins(line, word)) return;
            owned.then = nullptr;
            owned.session.disconnected();
        };
        owned.receives(Command::submitSm, 5);
        owned.receives(Command::deliverSmResp, 1);
        owned.receives(pduOf(Command::genericNack, 2, "", Status::sysErr));
        owned.session.respond(Command::submitSm, Status::ok, 5);
        owned.receives(Command::unbind, 6);
        Lines news = owned.news();
        std::erase_if(news, [](const std::string& line) {
            return !begins(line, "lost") && !begins(line, "response");
        });
        EXPECT_EQ(news.size(), 3u);
        EXPECT_EQ(owned.session.state(), State::closed);
    }
}

void receivesABadLength(Owned& owned) {
    const nio::Bytes header = rawPdu(4, 0x15, 0, 6);
    owned.session.received({Framed::Kind::badLength, header}, owned.now);
}

TEST_F(SmppSessionReentrancy, NoEndIsToldOnceTheOwnerSaidThatTheConnectionIsGone) {
    smsc->requests(Command::deliverSm, 1);
    smsc->requests(Command::deliverSm, 2);
    smsc->news();
    at("lost", [&] { smsc->session.disconnected(); });
    receivesABadLength(*smsc);
    EXPECT_EQ(smsc->news(), (Lines{"> generic_nack 6 ESME_RINVCMDLEN", "lost 1 disconnected",
                                   "lost 2 disconnected"}));
}

TEST_F(SmppSessionReentrancy, WhatIsLostInTheEndCannotBeSentAgain) {
    smsc->requests(Command::deliverSm, 1);
    smsc->news();
    at("lost", [&] { EXPECT_EQ(smsc->requests(Command::deliverSm, 1), 0u); });
    receivesABadLength(*smsc);
    EXPECT_EQ(smsc->news(), (Lines{"> generic_nack 6 ESME_RINVCMDLEN", "lost 1 disconnected",
                                   "ended: a command_length that cannot be"}));
}

TEST_F(SmppSessionReentrancy, AConnectionLostDuringASendLosesItsRequestOnce) {
    at(">", [&] { smsc->session.disconnected(); });
    smsc->requests(Command::deliverSm, 1);
    EXPECT_EQ(smsc->news(), (Lines{"> deliver_sm 1", "lost 1 disconnected"}));
}

TEST_F(SmppSessionReentrancy, AConnectionLostDuringBindIsNotBound) {
    Owned owned(untimed(Side::smsc));
    owned.then = [&](const std::string& line) {
        if (begins(line, ">")) owned.session.disconnected();
    };
    owned.receives(Command::bindReceiver, 1);
    owned.receives(Command::submitSm, 2);
    owned.session.acceptBind(owned.now);
    EXPECT_EQ(owned.session.state(), State::closed);
    EXPECT_EQ(owned.news(),
              (Lines{"bindRequested bind_receiver 1", "> bind_receiver_resp 1 ESME_ROK"}));
}

TEST_F(SmppSessionReentrancy, ATickMayEndTheSessionInItsFirstEvent) {
    SessionOptions options = untimed(Side::smsc);
    options.timers.response = options.timers.enquireLink = options.timers.inactivity = 10s;
    Owned owned(options);
    bindAs(owned, Command::bindTransceiver);
    owned.requests(Command::deliverSm, 1);
    owned.requests(Command::deliverSm, 2);
    owned.news();
    owned.then = [&](const std::string&) { owned.session.disconnected(); };
    owned.passes(10s);
    EXPECT_EQ(owned.news(), (Lines{"lost 1 timedOut", "lost 2 disconnected"}));
}

}  // namespace
}  // namespace smpp
