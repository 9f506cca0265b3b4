// Programs whose standard error, or standard output, is a full pipe: they serve,
// they end, and they say what was dropped once it is read.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <fstream>
#include <thread>

#include "apps/echo_client/EchoClientTesting.h"
#include "apps/sms_router/scenarios/RouterProcess.h"
#include "support/Echoes.h"
#include "support/FullPipe.h"
#include "support/ServerProcess.h"

namespace {

using echoclient::EchoServerProcess;
using echoclient::operator+;
using support::bin;
using support::echoes;
using support::FullPipe;
using support::Process;
using support::ServerProcess;
using testing::ContainsRegex;
using testing::HasSubstr;

using Arguments = std::vector<std::string>;

// Until what comes out of the pipe has this text.
std::string awaitText(FullPipe& pipe, const std::string& wanted) {
    std::string text;
    const nio::TimePoint end = nio::Clock::after(nio::kerneltest::patience);
    while (text.find(wanted) == text.npos && nio::Clock::now() < end) {
        text += pipe.drain();
        std::this_thread::yield();
    }
    return text;
}

class BlockedEchoServer : public testing::TestWithParam<const char*> {};

TEST_P(BlockedEchoServer, ServesAndSaysWhatWasDropped) {
    FullPipe pipe;
    ServerProcess server({"--port", "0", "--threads", GetParam(), "--verbose"}, pipe.shell("2>"));
    for (int i = 0; i < 20; ++i) EXPECT_TRUE(echoes(server.address(), "hello"));
    (void)pipe.drain();
    EXPECT_TRUE(echoes(server.address(), "hello"));
    EXPECT_THAT(awaitText(pipe, " connected: "),
                ContainsRegex("^nio: [0-9]+ log lines dropped: standard error was blocked\n"
                              "[0-9TZ:.-]+ (dis)?connected: "));
    EXPECT_EQ(server.stop(), 0);
}

TEST_P(BlockedEchoServer, EndsOnSigterm) {
    const FullPipe pipe;
    ServerProcess server({"--port", "0", "--threads", GetParam(), "--verbose"}, pipe.shell("2>"));
    EXPECT_TRUE(echoes(server.address(), "hello"));
    EXPECT_EQ(server.stop(), 0);
}

INSTANTIATE_TEST_SUITE_P(Threads, BlockedEchoServer, testing::Values("1", "2"));

TEST(BlockedServer, LogsAWarningAndServes) {
    const FullPipe pipe;
    ServerProcess server({"--port", "0", "--threads", "1", "--max-connections", "1"},
                         pipe.shell("2>"));
    for (int i = 0; i < 5; ++i) {
        support::TestClient first(server.address()), second(server.address());
        first.send("hello");
        EXPECT_TRUE(support::pumpUntil({&first}, [&] { return first.hasReceived("hello"); }));
    }
    EXPECT_EQ(server.stop(), 0);
}

// A Unix-domain path: the ready line, which has the port, is lost.
TEST(BlockedServer, ServesWithBothStreamsBlocked) {
    const nio::kerneltest::TemporaryFolder folder;
    const std::string path = folder.file("socket");
    const FullPipe pipe;
    Process server(pipe.shell("2>") + Arguments{"sh", "-c", "exec \"$@\" 1>&2", "sh"} +
                   Arguments{bin("echo-server"), "--unix", path, "--verbose"});
    const nio::SocketAddress address = nio::SocketAddress::unixPath(path).orThrow();
    const nio::TimePoint end = nio::Clock::after(nio::kerneltest::patience);
    bool listens = false;
    while (!listens && nio::Clock::now() < end) {
        const auto fd = nio::kernel::openStreamSocket(address.family()).orThrow();
        listens = nio::kernel::connect(fd.get(), address).isDone();
    }
    EXPECT_TRUE(echoes(address, "hello"));
    server.signal(SIGTERM);
    EXPECT_EQ(server.wait(), 0);
}

Arguments load(const std::string& port, const std::string& duration, const Arguments& more = {}) {
    return Arguments{bin("echo-client"), "--port", port,         "--connections", "2",
                     "--warmup",         "0",      "--duration", duration} +
           more;
}

TEST(BlockedEchoClient, LoadsAndReports) {
    const FullPipe pipe;
    const EchoServerProcess server;
    Process client(pipe.shell("2>") + load(server.port(), "1.5s", {"--json", "-"}));
    EXPECT_EQ(client.wait(), 0);
    EXPECT_THAT(client.output(), HasSubstr("\"echoes\""));
}

TEST(BlockedEchoClient, SaysWhatWasDropped) {
    FullPipe pipe;
    const EchoServerProcess server;
    Process client(pipe.shell("2>") + load(server.port(), "600s", {"--json-lines", "-"}));
    EXPECT_THAT(client.readLine(), HasSubstr("phase"));  // comes behind the line of progress
    EXPECT_THAT(awaitText(pipe, "echo-client: "),
                ContainsRegex("^nio: [0-9]+ log lines? dropped: standard error was blocked\n"
                              "echo-client: "));
    client.signal(SIGTERM);
    EXPECT_EQ(client.wait(), 0);
}

TEST(BlockedEchoClient, MisbehavesAndReports) {
    const FullPipe pipe;
    const EchoServerProcess server;
    Process client(pipe.shell("2>") + Arguments{bin("echo-client"), "--port", server.port(),
                                                "--misbehave", "half-message", "--connections", "2",
                                                "--duration", "1.5s", "--json", "-"});
    EXPECT_EQ(client.wait(), 0) << client.output();
    EXPECT_THAT(client.output(), HasSubstr("{"));
}

bool catchesSignal(pid_t process, int number) {
    std::ifstream status("/proc/" + std::to_string(process) + "/status");
    for (std::string line; std::getline(status, line);) {
        if (!line.starts_with("SigCgt:")) continue;
        return (std::stoull(line.substr(7), nullptr, 16) >> (number - 1) & 1) != 0;
    }
    return false;
}

void awaitCaught(const Process& process, int number, bool caught) {
    const nio::TimePoint end = nio::Clock::after(Process::patience);
    while (catchesSignal(process.pid(), number) != caught && nio::Clock::now() < end) {
        std::this_thread::yield();
    }
}

// The reader of the report may be slow (less): echo-client waits for it until a signal ends it.
TEST(BlockedEchoClient, WaitsWithItsReportUntilASignal) {
    for (const int number : {SIGINT, SIGTERM}) {
        const FullPipe pipe;
        const EchoServerProcess server;
        Process client(pipe.shell("1>") + load(server.port(), "1.5s"));
        EXPECT_THAT(client.readErrorLine(), HasSubstr("echo-client: "));
        awaitCaught(client, number, false);
        client.signal(number);
        EXPECT_EQ(client.wait(), 128 + number);
    }
}

TEST(BlockedEchoClient, FailsWhereJsonLinesAreLost) {
    const FullPipe pipe;
    const EchoServerProcess server;
    Process client(pipe.shell("1>") +
                   load(server.port(), "1.5s", {"--quiet", "--json-lines", "-"}));
    EXPECT_EQ(client.wait(), 1);
    EXPECT_THAT(client.errors(),
                ContainsRegex("echo-client: --json-lines: [0-9]+ lines? lost: standard output "));
}

TEST(BlockedSmppBench, EndsItsSmscOnSigterm) {
    const FullPipe pipe;
    Process smsc(pipe.shell("1>") + Arguments{bin("smpp-bench"), "smsc"});
    awaitCaught(smsc, SIGTERM, true);
    smsc.signal(SIGUSR1);
    smsc.signal(SIGTERM);
    EXPECT_EQ(smsc.wait(), 0);
}

TEST(BlockedSmppBench, WaitsWithItsReportUntilASignal) {
    Process smsc({bin("smpp-bench"), "smsc", "--any-account"});
    const std::string ready = smsc.readLine();
    const FullPipe pipe;
    Process esme(pipe.shell("1>") + Arguments{bin("smpp-bench"), "esme", "--port",
                                              ready.substr(ready.rfind(':') + 1), "--show",
                                              "--duration", "600s"});
    awaitCaught(esme, SIGTERM, true);
    esme.signal(SIGTERM);
    awaitCaught(esme, SIGTERM, false);
    esme.signal(SIGTERM);
    EXPECT_EQ(esme.wait(), 128 + SIGTERM);
}

TEST(BlockedAgent, ServesCoordinators) {
    FullPipe pipe;
    const EchoServerProcess server;
    (void)pipe.drain();
    Process agent(pipe.shell("1>") + Arguments{bin("echo-client"), "agent", "--listen",
                                               "127.0.0.1:0", "--token", "secret"});
    const std::string ready = awaitText(pipe, "\n");
    const std::string address = "127.0.0.1:" + ready.substr(ready.rfind(':') + 1);
    pipe.fill();
    for (int i = 0; i < 2; ++i) {
        Process run(load(
            server.port(), "0.2s",
            {"--quiet", "--token", "secret", "--agents", address.substr(0, address.find('\n'))}));
        EXPECT_EQ(run.wait(), 0) << run.errors();
    }
    agent.signal(SIGTERM);
    EXPECT_EQ(agent.wait(), 0);
}

class BlockedRouter : public testing::Test {
  protected:
    // Its connector is refused, which is a warning.
    explicit BlockedRouter(const std::string& redirection = "2>")
        : router_({.connectors = {{"smsc", 1}}, .prefix = pipe_.shell(redirection)}) {}

    FullPipe pipe_;
    router::scenarios::RouterProcess router_;
};

TEST_F(BlockedRouter, ServesAndSaysWhatWasDropped) {
    (void)router_.bound("esme1");
    router_.signal(SIGHUP);
    (void)router_.bound("esme1");
    EXPECT_EQ(pipe_.drain(), "");
    router_.signal(SIGHUP);
    EXPECT_THAT(awaitText(pipe_, "sms-router: "),
                ContainsRegex("^nio: [0-9]+ log lines? dropped: standard error was blocked\n"
                              "sms-router: "));
    EXPECT_THAT(router_.stop(), HasSubstr("sms-router stopped: "));
    EXPECT_EQ(router_.exitCode(), 0);
}

TEST_F(BlockedRouter, EndsOnSigterm) {
    (void)router_.address();
    router_.signal(SIGHUP);
    (void)router_.bound("esme1");
    EXPECT_THAT(router_.stop(), HasSubstr("sms-router stopped: "));
    EXPECT_EQ(router_.exitCode(), 0);
}

}  // namespace
