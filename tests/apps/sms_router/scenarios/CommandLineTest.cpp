// What ends by itself: --check, --explain, --version, --help, mistakes.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include <nio/channel/ServerSocketChannel.h>

#include "apps/sms_router/scenarios/OneSmsc.h"
#include "support/Engines.h"

namespace router::scenarios {

namespace {

// A file with the usual configuration and more, in a folder that goes with the test.
class ConfigFile {
  public:
    explicit ConfigFile(const RouterSetup& setup) {
        std::ofstream(path()) << setup.text(folder_.file("store"), folder_.file("records"));
        std::filesystem::permissions(path(), std::filesystem::perms(0600));
    }
    std::string path() const { return folder_.file("router.toml"); }

  private:
    nio::kerneltest::TemporaryFolder folder_;
};

RouterSetup usual(const std::string& more = {}) {
    RouterSetup setup{.more = more};
    setup.connectors = {{"smsc", 2776}};
    return setup;
}

bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

}  // namespace

TEST(RouterCommandLine, ChecksAConfiguration) {
    const ConfigFile file(usual());
    const Ended ended = runRouter({"--config", file.path(), "--check"});
    EXPECT_EQ(ended.exitCode, 0);
    EXPECT_TRUE(contains(ended.output, "router.toml: ok")) << ended.output;
    EXPECT_EQ(ended.errors, "");
}

TEST(RouterCommandLine, SaysEveryMistakeWithItsLine) {
    const ConfigFile file(usual("[account.esme3]\nwindow = 0\nunknown_key = 1\n"));
    for (const std::vector<std::string>& arguments :
         {std::vector<std::string>{"--config", file.path(), "--check"},
          std::vector<std::string>{"--config", file.path()}}) {
        const Ended ended = runRouter(arguments);
        EXPECT_EQ(ended.exitCode, 2);
        EXPECT_TRUE(contains(ended.errors, "window")) << ended.errors;
        EXPECT_TRUE(contains(ended.errors, "unknown_key"));
        EXPECT_TRUE(contains(ended.errors, "password"));
        EXPECT_TRUE(contains(ended.errors, "router.toml:"));
    }
}

TEST(RouterCommandLine, SaysInOneLineThatThePortOfItsAdminInterfaceIsInUse) {
    const auto taken = nio::ServerSocketChannel::open(nio::SocketAddress::loopback4(0)).orThrow();
    const std::string address = taken.localAddress().orThrow().toString();
    const ConfigFile file(usual());
    const Ended ended = runRouter({"--config", file.path(), "--set", "admin.enabled=true", "--set",
                                   "admin.port=" + address.substr(address.rfind(':') + 1)});
    EXPECT_EQ(ended.exitCode, 1);
    EXPECT_EQ(ended.errors, "sms-router: admin (" + address + "): bind " + address +
                                ": Address already in use\n");
}

TEST(RouterCommandLine, ExplainsARoute) {
    const ConfigFile file(
        usual("[[route]]\nname = \"swiss\"\ndestinations = [\"41*\"]\n"
              "connector = \"smsc\"\n"));
    const std::vector<std::string> explain{"--config",  file.path(), "--explain",
                                           "--account", "esme1",     "--to"};
    std::vector<std::string> arguments = explain;
    arguments.push_back("41791234567");
    const Ended there = runRouter(arguments);
    EXPECT_EQ(there.exitCode, 0);
    EXPECT_TRUE(contains(there.output, "swiss")) << there.output;
    arguments.back() = "49";
    const Ended nowhere = runRouter(arguments);
    EXPECT_EQ(nowhere.exitCode, 0);
    EXPECT_TRUE(contains(nowhere.output, "ESME_RINVDSTADR")) << nowhere.output;
}

TEST(RouterCommandLine, ExplainsWhereAMessageOfAnSmscGoes) {
    const ConfigFile file(
        usual("[[mo]]\nname = \"inbound\"\ndestinations = [\"12*\"]\n"
              "account = \"esme1\"\n"));
    const auto explained = [&](const char* destination) {
        return runRouter(
            {"--config", file.path(), "--explain", "--connector", "smsc", "--to", destination});
    };
    const Ended there = explained("1234");
    EXPECT_EQ(there.exitCode, 0);
    EXPECT_TRUE(contains(there.output, "=> account \"esme1\"")) << there.output;
    const Ended nowhere = explained("99");
    EXPECT_EQ(nowhere.exitCode, 0);
    EXPECT_TRUE(contains(nowhere.output, "=> no account: refused with ESME_RINVDSTADR"))
        << nowhere.output;
}

TEST(RouterCommandLine, ExplainsNothingOfAConnectorThatIsNotThere) {
    const ConfigFile file(usual());
    const Ended ended =
        runRouter({"--config", file.path(), "--explain", "--connector", "smc", "--to", "1"});
    EXPECT_EQ(ended.exitCode, 2);
    EXPECT_TRUE(
        contains(ended.errors, "--connector: unknown connector 'smc'; did you mean 'smsc'?"))
        << ended.errors;
}

TEST(RouterCommandLine, HasAVersionAndHelp) {
    const Ended version = runRouter({"--version"});
    EXPECT_EQ(version.exitCode, 0);
    EXPECT_TRUE(contains(version.output, "sms-router")) << version.output;
    const Ended help = runRouter({"--help"});
    EXPECT_EQ(help.exitCode, 0);
    EXPECT_TRUE(contains(help.output, "--config"));
    EXPECT_TRUE(contains(help.output, "--explain"));
}

TEST(RouterCommandLine, RefusesWhatItDoesNotKnow) {
    EXPECT_EQ(runRouter({}).exitCode, 2);
    EXPECT_EQ(runRouter({"--unknown"}).exitCode, 2);
    EXPECT_EQ(runRouter({"--config", "/nowhere/router.toml"}).exitCode, 2);
    const ConfigFile file(usual());
    EXPECT_EQ(runRouter({"--config", file.path(), "--check", "--set", "no.such=1"}).exitCode, 2);
}

TEST(RouterCommandLine, ReplacesValuesBySet) {
    TestSmsc smsc;
    RouterSetup setup = usual();
    setup.options = {"--set", "connector.smsc.port=" + std::to_string(smsc.port()), "--set",
                     "router.system_id=other"};
    RouterProcess router(setup);
    SmscBind bind = smsc.accept();
    EXPECT_EQ(router.connected().ask(bindPdu(1, {})).text(Field::systemId), "other");
}

TEST(RouterCommandLine, EndsWithOneIfAPortIsTaken) {
    OneSmsc scene;
    RouterSetup setup = usual();
    setup.options = {"--set",
                     "listener.esme.port=" + std::to_string(scene.router.address().port())};
    RouterProcess second(setup);
    EXPECT_EQ(second.exitCode(), 1);
    EXPECT_TRUE(contains(second.process().errors(), "listener esme"));
}

TEST(RouterCommandLine, EndsWithOneIfThePortOfTheAdminInterfaceIsTaken) {
    OneSmsc scene({.admin = true});
    RouterSetup setup = usual();
    setup.options = {"--set", "admin.port=" + std::to_string(scene.router.adminAddress().port())};
    RouterProcess second(setup);
    EXPECT_EQ(second.exitCode(), 1);
    EXPECT_TRUE(contains(second.process().errors(), "sms-router: admin (127.0.0.1:"))
        << second.process().errors();
}

TEST(RouterCommandLine, EndsWithOneIfTheStoreIsTaken) {
    OneSmsc scene({.durability = "commit"});
    RouterSetup setup = usual();
    setup.durability = "commit";
    setup.options = {"--set", "store.path=" + scene.router.storeFile()};
    RouterProcess second(setup);
    EXPECT_EQ(second.exitCode(), 1);
}

TEST(RouterCommandLine, SaysOnOneLineThatItIsReady) {
    OneSmsc scene;
    EXPECT_EQ(scene.router.readyLine(), "sms-router listening on " +
                                            scene.router.address().toString() +
                                            " (2 dispatchers, " + support::usualEngine() + ")");
}

TEST(RouterCommandLine, IsReadyWithoutItsSmsc) {
    TestSmsc smsc;  // takes the connection, and does not answer the bind
    RouterProcess router({.connectors = {{"smsc", smsc.port()}}});
    SmppPeer esme = router.bound("esme1");
    EXPECT_EQ(esme.expectAnswer(esme.submit({})).status(), Status::sysErr);
}

TEST(RouterCommandLine, ServesOnPollToo) {
    OneSmsc scene({.router = "selector = \"poll\"\nthreads = 1"});
    EXPECT_TRUE(contains(scene.router.readyLine(), " (1 dispatcher, poll)"));
    SmppPeer esme = scene.router.bound("esme1");
    scene.accepted(esme, "17");
}

}  // namespace router::scenarios
