// How ESMEs bind, and how their connections end.
#include <gtest/gtest.h>

#include "apps/sms_router/scenarios/OneSmsc.h"

namespace router::scenarios {

namespace {

Status bindStatus(RouterProcess& router, const Binding& binding) {
    return router.connected().bind(binding);
}

// A router that nobody is asked to reach an SMSC by.
RouterSetup alone(RouterSetup setup = {}) {
    setup.connectors = {{"smsc", 1, "reconnect_first = \"1h\"\nreconnect_max = \"1h\""}};
    return setup;
}

}  // namespace

TEST(RouterBind, LetsAnAccountBindAsItLikes) {
    RouterProcess router(alone());
    for (const Command kind :
         {Command::bindTransmitter, Command::bindReceiver, Command::bindTransceiver}) {
        SmppPeer esme = router.connected();
        const OwnedPdu answer = esme.ask(bindPdu(7, {.kind = kind}));
        EXPECT_EQ(answer.command(), smpp::responseTo(kind));
        EXPECT_EQ(answer.status(), Status::ok);
        EXPECT_EQ(answer.sequence(), 7u);
        EXPECT_EQ(answer.text(Field::systemId), "nio");
        EXPECT_EQ(answer.tlv(Tag::scInterfaceVersion), "\x34");
    }
}

TEST(RouterBind, RefusesAWrongPassword) {
    RouterProcess router(alone());
    SmppPeer esme = router.connected();
    EXPECT_EQ(esme.bind({.password = "secret2"}), Status::invPaswd);
    EXPECT_TRUE(esme.closedByPeer());
    EXPECT_EQ(bindStatus(router, {.password = ""}), Status::invPaswd);
}

TEST(RouterBind, TakesPasswordsOfUpTo64Octets) {
    const std::size_t lengths[] = {9, 16, 17, 64};
    std::string accounts;
    for (const std::size_t octets : lengths) {
        accounts += "[account.of" + std::to_string(octets) + "]\npassword = \"" +
                    std::string(octets, 'p') + "\"\n";
    }
    RouterProcess router(alone({.more = accounts}));
    for (const std::size_t octets : lengths) {
        const auto statusWith = [&](std::size_t given) {
            return bindStatus(router, {.systemId = "of" + std::to_string(octets),
                                       .password = std::string(given, 'p')});
        };
        EXPECT_EQ(statusWith(octets), Status::ok) << octets;
        EXPECT_EQ(statusWith(octets - 1), Status::invPaswd) << octets;
    }
}

// SMPP knows eight octets at most: as text.
TEST(RouterBind, SendsAnSmscPasswordsOfUpTo64Octets) {
    for (const std::size_t octets : {9u, 64u}) {
        const std::string password(octets, 'p');
        TestSmsc smsc;
        RouterProcess router({.connectors = {{"smsc", smsc.port()}},
                              .options = {"--set", "connector.smsc.password=" + password}});
        const auto stream = plainStream(smsc.acceptSocket());
        nio::Bytes bind;
        while (bind.size() < smpp::Header::bytes ||
               bind.size() < smpp::Header::read(bind)->length) {
            ASSERT_TRUE(stream->receive(bind));
        }
        const std::string wanted = std::string("router") + '\0' + password + '\0';
        EXPECT_NE(nio::asText(bind).find(wanted), std::string_view::npos) << octets;
    }
}

TEST(RouterBind, RefusesASystemIdThatNobodyHas) {
    RouterProcess router(alone());
    SmppPeer esme = router.connected();
    EXPECT_EQ(esme.bind({.systemId = "esme3"}), Status::invSysId);
    EXPECT_TRUE(esme.closedByPeer());
    EXPECT_EQ(bindStatus(router, {.systemId = ""}), Status::invSysId);
    EXPECT_EQ(bindStatus(router, {.systemId = "ESME1"}), Status::invSysId);
}

TEST(RouterBind, RefusesAnAddressThatTheAccountMayNotComeFrom) {
    RouterProcess router(alone({.esme1 = "allowed_from = [\"192.0.2.0/24\"]",
                                .esme2 = "allowed_from = [\"192.0.2.0/24\", \"127.0.0.0/8\"]"}));
    EXPECT_EQ(bindStatus(router, {}), Status::bindFail);
    EXPECT_EQ(bindStatus(router, {.systemId = "esme2", .password = "secret2"}), Status::ok);
}

TEST(RouterBind, RefusesAKindOfBindThatTheAccountMayNotHave) {
    RouterProcess router(alone({.esme1 = "bind_types = [\"receiver\"]"}));
    EXPECT_EQ(bindStatus(router, {.kind = Command::bindTransmitter}), Status::bindFail);
    EXPECT_EQ(bindStatus(router, {.kind = Command::bindTransceiver}), Status::bindFail);
    EXPECT_EQ(bindStatus(router, {.kind = Command::bindReceiver}), Status::ok);
}

TEST(RouterBind, RefusesMoreBindsThanTheAccountMayHave) {
    RouterProcess router(alone({.esme1 = "max_binds = 2"}));
    SmppPeer first = router.bound("esme1");
    SmppPeer second = router.bound("esme1");
    EXPECT_EQ(bindStatus(router, {}), Status::bindFail);
    SmppPeer other = router.bound("esme2");
    EXPECT_TRUE(first.nothingArrives());
}

TEST(RouterBind, GivesThePlaceOfABindThatHasEndedToAnother) {
    RouterProcess router(alone({.esme1 = "max_binds = 1"}));
    SmppPeer first = router.bound("esme1");
    first.unbind();
    // That the first is gone is told on its way from one dispatcher to another.
    Status status = Status::bindFail;
    for (int i = 0; i < 1000 && status == Status::bindFail; ++i) status = bindStatus(router, {});
    EXPECT_EQ(status, Status::ok);
}

TEST(RouterBind, GivesThePlaceOfABindThatHasUnboundToAnother) {
    RouterProcess router(alone({.esme1 = "max_binds = 1"}));
    SmppPeer first = router.bound("esme1");
    EXPECT_EQ(first.ask(bare(Command::unbind, 1)).command(), Command::unbindResp);
    EXPECT_TRUE(first.closedByPeer());
    // It does not close its end.
    Status status = Status::bindFail;
    for (int i = 0; i < 1000 && status == Status::bindFail; ++i) status = bindStatus(router, {});
    EXPECT_EQ(status, Status::ok);
}

TEST(RouterBind, RefusesASecondBindOnOneConnection) {
    RouterProcess router(alone());
    SmppPeer esme = router.bound("esme1");
    const OwnedPdu answer = esme.ask(bindPdu(9, {.kind = Command::bindTransmitter}));
    EXPECT_EQ(answer.command(), Command::bindTransmitterResp);
    EXPECT_EQ(answer.status(), Status::alyBnd);
    EXPECT_TRUE(esme.nothingArrives());
}

TEST(RouterBind, RefusesRequestsOfThoseWhoAreNotBound) {
    RouterProcess router(alone());
    SmppPeer esme = router.connected();
    const OwnedPdu answer = esme.ask(submitSm(3, {}));
    EXPECT_EQ(answer.command(), Command::submitSmResp);
    EXPECT_EQ(answer.status(), Status::invBndSts);
    EXPECT_EQ(esme.bind(), Status::ok);
}

TEST(RouterBind, RefusesMessagesOfAReceiver) {
    RouterProcess router(alone());
    SmppPeer esme = router.bound("esme1", Command::bindReceiver);
    EXPECT_EQ(esme.ask(submitSm(3, {})).status(), Status::invBndSts);
    EXPECT_TRUE(esme.nothingArrives());
}

TEST(RouterBind, TakesARequestSentBeforeTheBindResponse) {
    OneSmsc scene;
    SmppPeer esme = scene.router.connected();
    nio::Bytes both = bindPdu(1, {});
    const nio::Bytes submit = submitSm(2, {});
    const nio::Bytes another = submitSm(3, {});
    both.insert(both.end(), submit.begin(), submit.end());
    both.insert(both.end(), another.begin(), another.end());
    esme.send(both);
    EXPECT_EQ(esme.expectAnswer(1).status(), Status::ok);
    scene.smsc.answer(scene.smsc.nextSubmit(), "17");
    scene.smsc.answer(scene.smsc.nextSubmit(), "18");
    EXPECT_EQ(esme.expectAnswer(2).status(), Status::ok);
    EXPECT_EQ(esme.expectAnswer(3).status(), Status::ok);
}

TEST(RouterBind, EndsAConnectionThatDoesNotBindInTime) {
    RouterProcess router(alone({.timers = "session_init = \"50ms\""}));
    EXPECT_TRUE(router.connected().closedByPeer());
}

TEST(RouterBind, AnswersEnquireLinkBeforeAndAfterTheBind) {
    RouterProcess router(alone());
    SmppPeer esme = router.connected();
    EXPECT_TRUE(esme.nothingArrives());
    EXPECT_EQ(esme.bind(), Status::ok);
    EXPECT_TRUE(esme.nothingArrives());
}

TEST(RouterBind, AsksAnEsmeThatIsSilentWhetherItIsThere) {
    RouterProcess router(alone({.timers = "enquire_link = \"50ms\""}));
    SmppPeer esme = router.bound("esme1");
    for (int i = 0; i < 3; ++i) esme.answer(esme.expect(Command::enquireLink));
}

TEST(RouterBind, EndsAnEsmeThatDoesNotAnswerEnquireLink) {
    RouterProcess router(alone({.timers = "enquire_link = \"50ms\"\nresponse = \"50ms\""}));
    SmppPeer esme = router.bound("esme1");
    esme.expect(Command::enquireLink);
    EXPECT_TRUE(esme.closedByPeer());
}

TEST(RouterBind, UnbindsAnEsmeThatSendsNothingForTooLong) {
    RouterProcess router(alone({.timers = "inactivity = \"50ms\""}));
    SmppPeer esme = router.bound("esme1");
    esme.answer(esme.expect(Command::unbind));
    EXPECT_TRUE(esme.closedByPeer());
}

TEST(RouterBind, AnswersUnbindAndEndsTheConnection) {
    RouterProcess router(alone());
    SmppPeer esme = router.bound("esme1");
    const OwnedPdu answer = esme.ask(bare(Command::unbind, 5));
    EXPECT_EQ(answer.command(), Command::unbindResp);
    EXPECT_EQ(answer.status(), Status::ok);
    EXPECT_TRUE(esme.closedByPeer());
}

TEST(RouterBind, AnswersUnbindOnceTheRequestsBeforeItAreAnswered) {
    OneSmsc scene;
    SmppPeer esme = scene.router.bound("esme1");
    const std::uint32_t sent = esme.submit({});
    const OwnedPdu submit = scene.smsc.nextSubmit();
    esme.send(bare(Command::unbind, 77));
    const std::uint32_t late = esme.submit({});
    EXPECT_EQ(esme.expectAnswer(late).status(), Status::invBndSts);
    scene.smsc.answer(submit, "17");
    EXPECT_EQ(esme.expectAnswer(sent).status(), Status::ok);
    EXPECT_EQ(esme.expectAnswer(77).command(), Command::unbindResp);
    EXPECT_TRUE(esme.closedByPeer());
}

TEST(RouterBind, NegotiatesTheVersionDown) {
    RouterProcess router(alone());
    SmppPeer fifty = router.connected();
    EXPECT_EQ(fifty.ask(bindPdu(1, {.version = 0x50})).tlv(Tag::scInterfaceVersion), "\x34");
    SmppPeer thirtyThree = router.connected();
    const OwnedPdu answer = thirtyThree.ask(bindPdu(1, {.version = 0x33}));
    EXPECT_EQ(answer.status(), Status::ok);
    EXPECT_TRUE(answer->tlvs().empty());
}

TEST(RouterBind, LetsAnEsmeTryAgainAfterAMalformedBind) {
    RouterProcess router(alone());
    SmppPeer esme = router.connected();
    EXPECT_EQ(esme.bind({.systemId = "a-system-id-that-is-too-long"}), Status::invSysId);
    EXPECT_EQ(esme.bind({.password = "too-long-a-password"}), Status::invPaswd);
    EXPECT_EQ(esme.bind(), Status::ok);
}

TEST(RouterBind, ListensOnSeveralAddresses) {
    RouterSetup setup = alone();
    setup.more = "[listener.second]\nhost = \"127.0.0.2\"\nport = 0\n";
    RouterProcess router(setup);
    const std::string& line = router.readyLine();
    const std::size_t second = line.find("127.0.0.2:");
    ASSERT_NE(second, std::string::npos) << line;
    const std::string address = line.substr(second, line.find(' ', second) - second);
    SmppPeer esme(nio::SocketAddress::parse(address).orThrow());
    EXPECT_EQ(esme.bind(), Status::ok);
    EXPECT_EQ(router.connected().bind(), Status::ok);
}

}  // namespace router::scenarios
