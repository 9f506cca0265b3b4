// A new configuration while it runs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <fstream>

#include "apps/sms_router/scenarios/OneSmsc.h"
#include "apps/sms_router/scenarios/TwoSmscs.h"

namespace router::scenarios {

namespace {

const std::string reloadedLine = "sms-router: info: configuration reloaded";
const std::string notDone =
    "sms-router: info: configuration not reloaded: the old one stays in force";

// The binds of the first connector are made anew; `old`, which it had, has left.
void bindAnew(RouterProcess& router, SmscBind& old, const std::string& more = {}) {
    router.setup().connectors[0].settings = "system_type = \"NEW\"\n" + more;
    router.writeConfig();
    EXPECT_EQ(router.reload(), reloadedLine);
    old.answer(old.expect(Command::unbind));
}

}  // namespace

TEST(RouterReload, LetsANewAccountBindAndKeepsTheBindsThatAreThere) {
    OneSmsc scene;
    SmppPeer esme = scene.router.bound("esme1");
    SmppPeer refused = scene.router.connected();
    EXPECT_EQ(refused.bind({.systemId = "esme3", .password = "secret3"}), Status::invSysId);
    scene.router.setup().more = "[account.esme3]\npassword = \"secret3\"\nnumbers = [\"3\"]\n";
    scene.router.writeConfig();
    EXPECT_EQ(scene.router.reload(), reloadedLine);
    SmppPeer fresh = scene.router.bound("esme3");
    EXPECT_TRUE(esme.nothingArrives());
    scene.accepted(esme, "17");
    scene.accepted(fresh, "18");
    scene.smsc.deliver({.to = "3", .text = "mo"});
    EXPECT_EQ(fresh.expect(Command::deliverSm).message(), "mo");
}

TEST(RouterReload, UnbindsTheAccountThatIsGone) {
    OneSmsc scene({.more = "[account.esme3]\npassword = \"secret3\"\n"});
    SmppPeer gone = scene.router.bound("esme3");
    SmppPeer stays = scene.router.bound("esme1");
    scene.router.setup().more.clear();
    scene.router.writeConfig();
    EXPECT_EQ(scene.router.reload(), reloadedLine);
    gone.answer(gone.expect(Command::unbind));
    EXPECT_TRUE(gone.closedByPeer());
    EXPECT_EQ(scene.router.connected().bind({.systemId = "esme3", .password = "secret3"}),
              Status::invSysId);
    EXPECT_TRUE(stays.nothingArrives());
}

TEST(RouterReload, AnswersWhatAnAccountThatIsGoneHasUnderWay) {
    OneSmsc scene({.more = "[account.esme3]\npassword = \"secret3\"\n"});
    SmppPeer gone = scene.router.bound("esme3");
    const std::uint32_t sent = gone.submit({});
    const OwnedPdu submit = scene.smsc.nextSubmit();
    scene.router.setup().more.clear();
    scene.router.writeConfig();
    EXPECT_EQ(scene.router.reload(), reloadedLine);
    scene.smsc.answer(submit, "17");
    EXPECT_EQ(gone.expectAnswer(sent).status(), Status::ok);
    gone.answer(gone.expect(Command::unbind));
    EXPECT_TRUE(gone.closedByPeer());
}

TEST(RouterReload, ReadsThePriceListAgain) {
    const nio::kerneltest::TemporaryFolder folder;
    const std::string prices = folder.file("prices.csv");
    std::ofstream(prices) << ",a,1\n,b,2\n";
    TwoSmscs scene(groupOf("members = [\"a\", \"b\"]\nbalance = \"cheapest\""),
                   {.router = "price_list = \"" + prices + "\""});
    SmppPeer esme = scene.router.bound("esme1");
    const std::uint32_t before = esme.submit({});
    scene.a.answer(scene.a.nextSubmit(), "1");
    EXPECT_EQ(esme.expectAnswer(before).status(), Status::ok);
    std::ofstream(prices) << ",a,2\n,b,1\n";
    EXPECT_EQ(scene.router.reload(), reloadedLine);
    const std::uint32_t after = esme.submit({});
    scene.b.answer(scene.b.nextSubmit(), "2");
    EXPECT_EQ(esme.expectAnswer(after).status(), Status::ok);
}

// Hashing them takes a multiple of the limit.
TEST(RouterReload, IsNoStallThoughItHashesManyPasswords) {
    OneSmsc scene({.options = {"--set", "router.stall_limit=20ms"}});
    for (int i = 0; i < 200; ++i) {
        const std::string name = "more" + std::to_string(i);
        scene.router.setup().more += "[account." + name + "]\npassword = \"" + name + "\"\n";
    }
    scene.router.writeConfig();
    EXPECT_EQ(scene.router.reload(), reloadedLine);
    EXPECT_THAT(scene.router.process().stalls(), testing::Not(testing::HasSubstr("files")));
}

TEST(RouterReload, TriesAgainAfterTheNewPauseAndNotTheOldOne) {
    TestSmsc smsc;
    smsc.stopListening();
    const std::string anHour = "reconnect_first = \"1h\"\nreconnect_max = \"1h\"\n";
    RouterProcess router({.connectors = {{"smsc", smsc.port(), anHour}}});
    router.address();
    smsc.listen();
    router.setup().connectors[0].settings.clear();
    router.writeConfig();
    EXPECT_EQ(router.reload(), reloadedLine);
    EXPECT_EQ(smsc.accept().bindRequest().command(), Command::bindTransceiver);
}

TEST(RouterReload, ThatBringsASmscBackAfterARestartFindsItsMessages) {
    OneSmsc scene({.durability = "commit"});
    SmppPeer esme = scene.router.bound("esme1");
    const std::string ours = scene.accepted(esme, "17");
    const std::vector<ConnectorSetup> connectors = scene.router.setup().connectors;
    scene.router.kill();
    scene.router.setup().connectors.clear();
    scene.router.writeConfig();
    scene.router.startAgain();
    SmppPeer again = scene.router.bound("esme1");
    scene.router.setup().connectors = connectors;
    scene.router.writeConfig();
    EXPECT_EQ(scene.router.reload(), reloadedLine);
    SmscBind smsc = scene.listener.accept();
    smsc.receipt(receiptOf("17"));
    EXPECT_TRUE(
        sameOctets(again.expect(Command::deliverSm).numbered(0), deliverSm(0, receiptOf(ours))));
}

TEST(RouterReload, OfAFileWithMistakesChangesNothingAndSaysThem) {
    OneSmsc scene;
    SmppPeer esme = scene.router.bound("esme1");
    scene.router.setup().more =
        "[account.esme3]\npassword = \"secret3\"\nwindow = 0\nunknown_key = 1\n";
    scene.router.writeConfig();
    std::vector<std::string> said;
    EXPECT_EQ(scene.router.reload(&said), notDone);
    ASSERT_EQ(said.size(), 2u);
    for (const std::string& line : said) {
        EXPECT_NE(line.find("router.toml:"), std::string::npos) << line;
    }
    EXPECT_EQ(scene.router.connected().bind({.systemId = "esme3", .password = "secret3"}),
              Status::invSysId);
    scene.accepted(esme, "17");
    scene.router.writeConfig("this is no TOML");
    EXPECT_EQ(scene.router.reload(), notDone);
    scene.accepted(esme, "18");
    scene.router.bound("esme2");
}

TEST(RouterReload, KeepsTheConnectionToTheSmscThatIsNotChanged) {
    OneSmsc scene({}, "window = 5");
    SmppPeer esme = scene.router.bound("esme1");
    scene.router.setup().connectors[0].settings = "window = 1";
    scene.router.writeConfig();
    EXPECT_EQ(scene.router.reload(), reloadedLine);
    EXPECT_TRUE(scene.smsc.nothingArrives());
    esme.submit({.text = "1"});
    esme.submit({.text = "2"});
    const OwnedPdu first = scene.smsc.nextSubmit();
    EXPECT_TRUE(scene.smsc.nothingArrives());
    scene.smsc.answer(first, "17");
    EXPECT_EQ(scene.smsc.nextSubmit().message(), "2");
}

TEST(RouterReload, MakesBindsAnewWhereStrictHasChanged) {
    OneSmsc scene;
    scene.router.setup().connectors[0].settings = "strict = true";
    scene.router.writeConfig();
    EXPECT_EQ(scene.router.reload(), reloadedLine);
    scene.smsc.answer(scene.smsc.expect(Command::unbind));
    EXPECT_EQ(scene.listener.accept().bindRequest().command(), Command::bindTransceiver);
}

TEST(RouterReload, BindsToANewSmscAndUnbindsFromTheOneThatIsGone) {
    OneSmsc scene;
    SmppPeer esme = scene.router.bound("esme1");
    TestSmsc other;
    scene.router.setup().connectors = {{"other", other.port()}};
    scene.router.writeConfig();
    EXPECT_EQ(scene.router.reload(), reloadedLine);
    scene.smsc.answer(scene.smsc.expect(Command::unbind));
    EXPECT_TRUE(scene.smsc.closedByPeer());
    SmscBind fresh = other.accept();
    EXPECT_TRUE(fresh.nothingArrives());
    esme.submit({.text = "to the new one"});
    EXPECT_EQ(fresh.nextSubmit().message(), "to the new one");
}

TEST(RouterReload, BindsAnewToAnSmscWithOtherCredentials) {
    OneSmsc scene;
    bindAnew(scene.router, scene.smsc);
    SmscBind fresh = scene.listener.accept();
    EXPECT_EQ(fresh.bindRequest().text(Field::systemType), "NEW");
}

TEST(RouterReload, LetsMessagesWaitForTheNewBinds) {
    OneSmsc scene;
    SmppPeer esme = scene.router.bound("esme1");
    bindAnew(scene.router, scene.smsc);
    const std::uint32_t sent = esme.submit({.text = "waits"});
    EXPECT_TRUE(esme.nothingArrives());
    SmscBind fresh = scene.listener.accept();
    const OwnedPdu submit = fresh.nextSubmit();
    EXPECT_EQ(submit.message(), "waits");
    fresh.answer(submit, "17");
    EXPECT_EQ(esme.expectAnswer(sent).status(), Status::ok);
}

TEST(RouterReload, RefusesThemWhenTheNewBindsAreNotThereInTime) {
    OneSmsc scene;
    SmppPeer esme = scene.router.bound("esme1");
    bindAnew(scene.router, scene.smsc, "connect_timeout = \"1s\"");
    const nio::TimePoint tooLate = nio::Clock::after(std::chrono::seconds(8));
    const std::uint32_t sent = esme.submit({});
    EXPECT_EQ(esme.expectAnswer(sent).status(), Status::sysErr);
    EXPECT_LT(nio::Clock::now(), tooLate) << "the time-out of before holds";
}

TEST(RouterReload, LetsTheOthersOfAGroupSendMeanwhile) {
    TwoSmscs scene(groupOf("members = [\"a\", \"b\"]"));
    SmppPeer esme = scene.router.bound("esme1");
    bindAnew(scene.router, scene.a);
    for (int i = 0; i < 4; ++i) {
        const std::uint32_t sent = esme.submit({});
        scene.b.answer(scene.b.nextSubmit(), std::to_string(i));
        EXPECT_EQ(esme.expectAnswer(sent).status(), Status::ok);
    }
}

TEST(RouterReload, DoesNotMakeADrainWaitForTheNewBinds) {
    OneSmsc scene;
    SmppPeer esme = scene.router.bound("esme1");
    bindAnew(scene.router, scene.smsc);
    const std::uint32_t sent = esme.submit({});
    EXPECT_TRUE(esme.nothingArrives());
    scene.router.signal(SIGTERM);
    EXPECT_EQ(esme.expectAnswer(sent).status(), Status::sysErr);
    esme.answer(esme.expect(Command::unbind));
    EXPECT_TRUE(esme.closedByPeer());
    esme.close();
    EXPECT_EQ(scene.router.lastLine(),
              "sms-router stopped: 0 binds left open, 0 requests unanswered, 0 deliveries "
              "unacknowledged");
}

TEST(RouterReload, KeepsReceiptsOfMessagesThatWereSentBefore) {
    OneSmsc scene;
    SmppPeer esme = scene.router.bound("esme1");
    const std::string ours = scene.accepted(esme, "17");
    scene.router.setup().more = "[account.aaa]\npassword = \"x\"\n";
    scene.router.writeConfig();
    EXPECT_EQ(scene.router.reload(), reloadedLine);
    scene.smsc.receipt(receiptOf("17"));
    EXPECT_TRUE(
        sameOctets(esme.expect(Command::deliverSm).numbered(0), deliverSm(0, receiptOf(ours))));
}

TEST(RouterReload, ChangesAnotherPasswordAndRoutes) {
    OneSmsc scene;
    SmppPeer esme = scene.router.bound("esme1");
    std::string text = scene.router.setup().text(scene.router.storeFile(), "");
    const std::string old = "\"secret2\"";
    text.replace(text.find(old), old.size(), "\"changed\"");
    scene.router.writeConfig(text + "[[route]]\nreject = \"ESME_RINVDSTADR\"\n");
    EXPECT_EQ(scene.router.reload(), reloadedLine);
    EXPECT_EQ(scene.router.connected().bind({.systemId = "esme2", .password = "secret2"}),
              Status::invPaswd);
    EXPECT_EQ(scene.router.connected().bind({.systemId = "esme2", .password = "changed"}),
              Status::ok);
    EXPECT_EQ(esme.expectAnswer(esme.submit({})).status(), Status::invDstAdr);
}

TEST(RouterReload, OpensAndClosesListeners) {
    OneSmsc scene;
    SmppPeer esme = scene.router.bound("esme1");
    const nio::SocketAddress address = freeAddress();
    scene.router.setup().more = "[listener.second]\nhost = \"" + address.host() +
                                "\"\nport = " + std::to_string(address.port()) + "\n";
    scene.router.writeConfig();
    EXPECT_EQ(scene.router.reload(), reloadedLine);
    SmppPeer second(address);
    EXPECT_EQ(second.bind(), Status::ok);
    scene.router.setup().more.clear();
    scene.router.writeConfig();
    EXPECT_EQ(scene.router.reload(), reloadedLine);
    EXPECT_TRUE(second.nothingArrives());
    scene.router.bound("esme1");
    EXPECT_TRUE(esme.nothingArrives());
}

TEST(RouterReload, ThatBringsASmscBackFindsItsMessagesAgain) {
    OneSmsc scene;
    SmppPeer esme = scene.router.bound("esme1");
    const std::string ours = scene.accepted(esme, "17");
    TestSmsc other;
    const std::vector<ConnectorSetup> before = scene.router.setup().connectors;
    scene.router.setup().connectors = {{"other", other.port()}};
    scene.router.writeConfig();
    EXPECT_EQ(scene.router.reload(), reloadedLine);
    scene.smsc.answer(scene.smsc.expect(Command::unbind));
    scene.smsc.close();
    scene.router.setup().connectors = before;
    scene.router.writeConfig();
    EXPECT_EQ(scene.router.reload(), reloadedLine);
    scene.smsc = scene.listener.accept();
    scene.smsc.receipt(receiptOf("17"));
    EXPECT_TRUE(
        sameOctets(esme.expect(Command::deliverSm).numbered(0), deliverSm(0, receiptOf(ours))));
}

TEST(RouterReload, KeepsTwoListenersOnPortsThatTheSystemChose) {
    OneSmsc scene({.more = "[listener.second]\nhost = \"127.0.0.1\"\nport = 0\n"});
    SmppPeer esme = scene.router.bound("esme1");
    for (int i = 0; i < 3; ++i) EXPECT_EQ(scene.router.reload(), reloadedLine);
    scene.router.bound("esme1");
    scene.accepted(esme, "17");
}

TEST(RouterReload, ManyTimesOverHarmsNobody) {
    OneSmsc scene;
    SmppPeer esme = scene.router.bound("esme1");
    for (int i = 0; i < 30; ++i) {
        scene.router.setup().more =
            i % 2 == 0 ? "[account.aaa]\npassword = \"x\"\n" : "[account.zzz]\npassword = \"x\"\n";
        scene.router.writeConfig();
        EXPECT_EQ(scene.router.reload(), reloadedLine);
        scene.accepted(esme, std::to_string(i));
    }
    EXPECT_TRUE(scene.smsc.nothingArrives());
}

}  // namespace router::scenarios
