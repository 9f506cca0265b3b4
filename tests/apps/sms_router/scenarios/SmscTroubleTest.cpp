// SMSCs that leave, are silent, come back, or call us.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "apps/sms_router/scenarios/AdminClient.h"
#include "apps/sms_router/scenarios/OneSmsc.h"

namespace router::scenarios {

namespace {

// Every one of these requests is answered once, with `status`.
void expectAllAnswered(SmppPeer& esme, std::set<std::uint32_t> sent, Status status) {
    while (!sent.empty()) {
        const OwnedPdu answer = esme.expect(Command::submitSmResp);
        EXPECT_EQ(answer.status(), status);
        EXPECT_EQ(sent.erase(answer.sequence()), 1u) << answer.sequence();
    }
    EXPECT_TRUE(esme.nothingArrives());
}

std::set<std::uint32_t> submitMany(SmppPeer& esme, int count) {
    std::set<std::uint32_t> sent;
    for (int i = 0; i < count; ++i) sent.insert(esme.submit({}));
    return sent;
}

auto refusedCaller(const std::string& why) {
    return testing::MatchesRegex(
        "sms-router: warning: connector 'caller': connection from 127\\.0\\.0\\.1:[0-9]+ "
        "refused: " +
        why);
}

}  // namespace

TEST(RouterSmsc, WhoseErrorCannotBeReadIsPassedOnWithoutItsBody) {
    OneSmsc scene;
    SmppPeer esme = scene.router.bound("esme1");
    for (const std::string& body : {std::string("zz"), std::string(1100, 'z') + '\0'}) {
        const std::uint32_t sent = esme.submit({});
        const OwnedPdu submit = scene.smsc.nextSubmit();
        nio::Bytes error = PduWriter(Command::submitSmResp, Status::throttled, submit.sequence())
                               .octets(nio::asBytes(body))
                               .finish();
        scene.smsc.send(error);
        const OwnedPdu answer = esme.expectAnswer(sent);
        EXPECT_EQ(answer.status(), Status::throttled);
        EXPECT_EQ(answer->bytes().size(), smpp::Header::bytes);
    }
}

TEST(RouterSmsc, ThatLeavesWithAFullWindowLeavesNoRequestUnanswered) {
    OneSmsc scene({}, "window = 100");
    SmppPeer esme = scene.router.bound("esme1");
    const auto sent = submitMany(esme, 100);
    for (int i = 0; i < 100; ++i) scene.smsc.nextSubmit();
    scene.smsc.close();
    expectAllAnswered(esme, sent, Status::submitFail);
}

TEST(RouterSmsc, ThatLeavesLeavesWhatIsQueuedUnsent) {
    OneSmsc scene({.router = "threads = 1\nno_connector = \"ESME_RTHROTTLED\""}, "window = 2");
    SmppPeer esme = scene.router.bound("esme1");
    const auto sent = submitMany(esme, 10);
    for (int i = 0; i < 2; ++i) scene.smsc.nextSubmit();
    EXPECT_TRUE(esme.nothingArrives());
    scene.smsc.close();
    int lost = 0;
    int unsent = 0;
    for (int i = 0; i < 10; ++i) {
        const Status status = esme.expect(Command::submitSmResp).status();
        lost += status == Status::submitFail;
        unsent += status == Status::throttled;
    }
    EXPECT_EQ(lost, 2);
    EXPECT_EQ(unsent, 8);
}

TEST(RouterSmsc, ThatUnbindsMayStillAnswerWhatItHas) {
    OneSmsc scene;
    SmppPeer esme = scene.router.bound("esme1");
    const auto sent = submitMany(esme, 20);
    std::vector<OwnedPdu> taken;
    for (int i = 0; i < 20; ++i) taken.push_back(scene.smsc.nextSubmit());
    scene.smsc.send(bare(Command::unbind, 1));
    for (const OwnedPdu& request : taken) {
        EXPECT_TRUE(scene.smsc.nothingArrives());
        scene.smsc.answer(request, "17");
    }
    EXPECT_EQ(scene.smsc.expectAnswer(1).command(), Command::unbindResp);
    EXPECT_TRUE(scene.smsc.closedByPeer());
    expectAllAnswered(esme, sent, Status::ok);
}

TEST(RouterSmsc, AnUnbindWithAFullWindowAnswersAllRequests) {
    OneSmsc scene({}, "response = \"1s\"");
    SmppPeer esme = scene.router.bound("esme1");
    const auto sent = submitMany(esme, 20);
    for (int i = 0; i < 20; ++i) scene.smsc.nextSubmit();
    scene.smsc.send(bare(Command::unbind, 1));
    EXPECT_EQ(scene.smsc.expectAnswer(1).command(), Command::unbindResp);
    EXPECT_TRUE(scene.smsc.closedByPeer());
    expectAllAnswered(esme, sent, Status::submitFail);
}

TEST(RouterSmsc, ThatComesBackGetsMessagesAgain) {
    OneSmsc scene;
    SmppPeer esme = scene.router.bound("esme1");
    for (int i = 0; i < 3; ++i) {
        scene.smsc.close();
        scene.smsc = scene.listener.accept();
        EXPECT_TRUE(scene.smsc.nothingArrives());
        EXPECT_EQ(scene.accepted(esme, "17").size(), 16u);
    }
}

TEST(RouterSmsc, MayRefuseTheBindAndIsTriedAgain) {
    TestSmsc listener;
    RouterSetup setup;
    setup.connectors = {{"smsc", listener.port()}};
    RouterProcess router(setup);
    for (int i = 0; i < 3; ++i) {
        SmppPeer connection = listener.acceptConnection();
        const OwnedPdu bind = connection.expect(Command::bindTransceiver);
        EXPECT_EQ(bind.text(Field::systemId), "router");
        EXPECT_EQ(bind.text(Field::password), "secret");
        EXPECT_EQ(bind->number(Field::interfaceVersion), 0x34);
        connection.refuse(bind, Status::bindFail);
        EXPECT_TRUE(connection.closedByPeer());
    }
    SmscBind smsc = listener.accept();
    EXPECT_TRUE(smsc.nothingArrives());
    router.bound("esme1").submit({});
    smsc.nextSubmit();
}

TEST(RouterSmsc, IsLoggedOncePerReasonUntilItIsBoundAgain) {
    OneSmsc scene({}, "reconnect_first = \"10ms\"\nreconnect_max = \"10ms\"");
    const std::string where =
        "connector 'smsc' (127.0.0.1:" + std::to_string(scene.listener.port()) + ")";
    const std::string log = "sms-router: warning: " + where + ": ";
    const auto says = [&] { return scene.router.logLine(); };
    for (int round = 0; round < 2; ++round) {
        scene.smsc.close();
        EXPECT_EQ(says(), log + "the peer closed the connection");
        for (int i = 0; i < 3; ++i) {
            SmppPeer connection = scene.listener.acceptConnection();
            connection.refuse(connection.expect(Command::bindTransceiver), Status::bindFail);
        }
        EXPECT_EQ(says(), log + "the bind was refused: ESME_RBINDFAIL");
        scene.smsc = scene.listener.accept();
        EXPECT_EQ(says(), "sms-router: info: " + where + " is bound");
    }
}

TEST(RouterSmsc, ThatCannotBeReachedIsInTheLog) {
    RouterProcess router({.connectors = {{"smsc", 1}}});
    const std::string said = router.logLine();
    EXPECT_NE(said.find("warning: connector 'smsc' (127.0.0.1:1): "), std::string::npos) << said;
    EXPECT_NE(said.find("Connection refused"), std::string::npos) << said;
}

TEST(RouterSmsc, IsToldAllThatItsBindNeeds) {
    OneSmsc scene({},
                  "system_type = \"VMA\"\naddress_ton = 1\naddress_npi = 2\n"
                  "address_range = \"^41\"\ntransmitters = 1");
    EXPECT_TRUE(sameOctets(scene.smsc.bindRequest().numbered(0),
                           PduWriter(Command::bindTransmitter, Status::ok, 0)
                               .text("router")
                               .text("secret")
                               .text("VMA")
                               .number(0x34)
                               .number(1)
                               .number(2)
                               .text("^41")
                               .finish()));
}

TEST(RouterSmsc, MayHaveATransmitterAndAReceiver) {
    TestSmsc listener;
    RouterSetup setup;
    setup.connectors = {{"smsc", listener.port(), "transmitters = 1\nreceivers = 1"}};
    RouterProcess router(setup);
    SmscBind first = listener.accept();
    SmscBind second = listener.accept();
    const bool inOrder = first.bindRequest().command() == Command::bindTransmitter;
    SmscBind& transmitter = inOrder ? first : second;
    SmscBind& receiver = inOrder ? second : first;
    EXPECT_EQ(receiver.bindRequest().command(), Command::bindReceiver);
    SmppPeer esme = router.bound("esme1");
    const std::uint32_t sent = esme.submit({});
    transmitter.answer(transmitter.nextSubmit(), "17");
    const std::string ours = esme.expectAnswer(sent).id();
    receiver.receipt(receiptOf("17"));
    EXPECT_TRUE(
        sameOctets(esme.expect(Command::deliverSm).numbered(0), deliverSm(0, receiptOf(ours))));
}

TEST(RouterSmsc, ALostBindOfSeveralLosesOnlyItsOwnRequests) {
    TestSmsc listener;
    RouterSetup setup;
    setup.connectors = {{"smsc", listener.port(), "transceivers = 2\nwindow = 2"}};
    RouterProcess router(setup);
    SmscBind first = listener.accept();
    SmscBind second = listener.accept();
    EXPECT_TRUE(first.nothingArrives());
    EXPECT_TRUE(second.nothingArrives());
    SmppPeer esme = router.bound("esme1");
    submitMany(esme, 4);
    for (int i = 0; i < 2; ++i) first.nextSubmit();
    std::vector<OwnedPdu> left{second.nextSubmit(), second.nextSubmit()};
    first.close();
    for (int i = 0; i < 2; ++i) EXPECT_EQ(esme.next().status(), Status::submitFail);
    for (const OwnedPdu& submit : left) second.answer(submit, "id");
    for (int i = 0; i < 2; ++i) EXPECT_EQ(esme.next().status(), Status::ok);
}

TEST(RouterSmsc, ThatDoesNotAnswerInTimeLeavesTheRequestToItsSender) {
    OneSmsc scene({}, "response = \"1s\"");
    SmppPeer esme = scene.router.bound("esme1");
    const std::uint32_t sent = esme.submit({});
    const OwnedPdu submit = scene.smsc.nextSubmit();
    EXPECT_EQ(esme.expectAnswer(sent).status(), Status::submitFail);
    // Too late: nobody waits for it, and the connection stays.
    scene.smsc.answer(submit, "17");
    EXPECT_TRUE(scene.smsc.nothingArrives());
    EXPECT_TRUE(esme.nothingArrives());
}

TEST(RouterSmsc, HasALostRequestAnsweredWithTheStatusThatWasChosen) {
    OneSmsc scene({.router = "link_lost = \"0x0500\""});
    SmppPeer esme = scene.router.bound("esme1");
    const std::uint32_t sent = esme.submit({});
    scene.smsc.nextSubmit();
    scene.smsc.close();
    EXPECT_EQ(esme.expectAnswer(sent).status(), Status(0x500));
}

TEST(RouterSmsc, IsAskedWhetherItIsThereAndLeftIfItDoesNotAnswer) {
    OneSmsc scene({}, "enquire_link = \"50ms\"\nresponse = \"1s\"");
    for (int i = 0; i < 3; ++i) scene.smsc.answer(scene.smsc.expect(Command::enquireLink));
    scene.smsc.expect(Command::enquireLink);
    EXPECT_TRUE(scene.smsc.closedByPeer());
    scene.smsc.close();
    scene.listener.accept();
}

TEST(RouterSmsc, ThatAnswersWithGenericNackHasItsStatusPassedOn) {
    OneSmsc scene;
    SmppPeer esme = scene.router.bound("esme1");
    const std::uint32_t sent = esme.submit({});
    const OwnedPdu submit = scene.smsc.nextSubmit();
    scene.smsc.send(smpp::genericNack(Status::invCmdLen, submit.sequence()));
    const OwnedPdu answer = esme.expectAnswer(sent);
    EXPECT_EQ(answer.command(), Command::submitSmResp);
    EXPECT_EQ(answer.status(), Status::invCmdLen);
}

TEST(RouterSmsc, MayCallUsByOutbind) {
    const nio::SocketAddress address = freeAddress();
    RouterSetup setup;
    setup.connectors = {{"caller", 0, "outbind_listen = \"" + address.toString() + "\""}};
    RouterProcess router(setup);
    router.address();
    SmppPeer connection(address);
    connection.send(PduWriter(Command::outbind, Status::ok, 1).text("smsc").text("pw").finish());
    SmscBind smsc = acceptBind(std::move(connection));
    EXPECT_EQ(smsc.bindRequest().text(Field::systemId), "router");
    EXPECT_TRUE(smsc.nothingArrives());
    SmppPeer esme = router.bound("esme1");
    const std::uint32_t sent = esme.submit({});
    smsc.answer(smsc.nextSubmit(), "17");
    EXPECT_EQ(esme.expectAnswer(sent).status(), Status::ok);
}

TEST(RouterSmsc, MayCallUsByOutbindOnceThePortIsFree) {
    const nio::SocketAddress address = freeAddress();
    auto other = std::make_optional(
        nio::kernel::openStreamSocket(nio::SocketAddress::Family::ipv4).orThrow());
    nio::kernel::bind(other->get(), address).orThrow();
    RouterSetup setup;
    setup.connectors = {
        {"caller", 0,
         "outbind_listen = \"" + address.toString() + "\"\nreconnect_first = \"20ms\""}};
    RouterProcess router(setup);
    EXPECT_NE(router.logLine().find("connector 'caller' (" + address.toString() +
                                    ") cannot listen for outbinds"),
              std::string::npos);
    other.reset();
    const nio::TimePoint end = nio::Clock::after(patience);
    std::optional<SmppPeer> connection;
    while (!connection && nio::Clock::now() < end) {
        try {
            connection.emplace(address);
        } catch (const std::exception&) {
        }
    }
    ASSERT_TRUE(connection);
    connection->send(PduWriter(Command::outbind, Status::ok, 1).text("smsc").text("pw").finish());
    SmscBind smsc = acceptBind(std::move(*connection));
    EXPECT_EQ(smsc.bindRequest().text(Field::systemId), "router");
}

TEST(RouterSmsc, MayCallUsThoughASilentPeerDoes) {
    const nio::SocketAddress address = freeAddress();
    RouterSetup setup;
    setup.connectors = {{"caller", 0, "outbind_listen = \"" + address.toString() + "\""}};
    RouterProcess router(setup);
    router.address();
    const nio::TimePoint begun = nio::Clock::now();
    const nio::TimePoint end = nio::Clock::after(patience);
    SmppPeer silent(address);
    std::optional<SmscBind> smsc;
    while (!smsc && nio::Clock::now() < end) {
        try {
            SmppPeer connection(address);
            connection.send(
                PduWriter(Command::outbind, Status::ok, 1).text("smsc").text("pw").finish());
            smsc.emplace(acceptBind(std::move(connection)));
        } catch (const std::exception&) {
            // Refused: the silent one still has time.
        }
    }
    ASSERT_TRUE(smsc);
    EXPECT_GE(nio::Clock::now() - begun, std::chrono::seconds(1));
    EXPECT_TRUE(silent.closedByPeer());
    while (router.logLine().find("no outbind came before another connection needed its place") ==
           std::string::npos) {
    }
}

TEST(RouterSmsc, ACallerWithoutAPlaceIsInTheLogAndCounted) {
    const nio::SocketAddress address = freeAddress();
    RouterSetup setup{.admin = true};
    setup.connectors = {{"caller", 0, "outbind_listen = \"" + address.toString() + "\""}};
    RouterProcess router(setup);
    router.address();
    SmppPeer connection(address);
    connection.send(PduWriter(Command::outbind, Status::ok, 1).text("smsc").text("pw").finish());
    SmscBind smsc = acceptBind(std::move(connection));
    SmppPeer surplus(address);
    EXPECT_TRUE(surplus.closedByPeer());
    EXPECT_THAT(router.logLine(), refusedCaller("each bind has a connection already"));
    EXPECT_THAT(AdminClient(router.adminAddress()).get("/metrics").body,
                testing::HasSubstr("\nsms_router_refused_binds_total{reason=\"outbind\"} 1\n"));
}

TEST(RouterSmsc, ACallerFromElsewhereIsInTheLog) {
    const nio::SocketAddress address = freeAddress();
    RouterSetup setup;
    setup.connectors = {
        {"caller", 0, "outbind_listen = \"" + address.toString() + "\"\nhost = \"192.0.2.1\""}};
    RouterProcess router(setup);
    router.address();
    SmppPeer stranger(address);
    EXPECT_TRUE(stranger.closedByPeer());
    EXPECT_THAT(router.logLine(), refusedCaller("its address is not the connector's host"));
}

TEST(RouterSmsc, MayCallUsAgainByOutbind) {
    const nio::SocketAddress address = freeAddress();
    RouterSetup setup;
    setup.connectors = {{"caller", 0, "outbind_listen = \"" + address.toString() + "\""}};
    RouterProcess router(setup);
    router.address();
    for (int i = 0; i < 3; ++i) {
        SmppPeer connection(address);
        connection.send(
            PduWriter(Command::outbind, Status::ok, 1).text("smsc").text("pw").finish());
        SmscBind smsc = acceptBind(std::move(connection));
        EXPECT_TRUE(smsc.nothingArrives());
        smsc.send(bare(Command::unbind, 5));
        smsc.expectAnswer(5);
        EXPECT_TRUE(smsc.closedByPeer());
    }
}

}  // namespace router::scenarios
