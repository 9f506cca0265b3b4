// A server that dies in the middle of an open loop, and comes back or not.
#include <signal.h>

#include "apps/echo_client/EchoClientTesting.h"

namespace {

using namespace echoclient;
using std::chrono::milliseconds;
using testing::HasSubstr;

// Reads the run's lines of JSON until it is measured.
void awaitMeasuring(Process& run) {
    while (json::parse(run.readLine())["phase"] != "measuring") {
    }
}

double secondsSince(nio::TimePoint begin) {
    return std::chrono::duration<double>(nio::Clock::now() - begin).count();
}

// The kernel closes the sockets of a killed process later than the process ends where a ring had
// them.
std::unique_ptr<EchoServerProcess> mortalServer() {
    return std::make_unique<EchoServerProcess>(Arguments{"--selector", "epoll"});
}

TEST(Outage, OfAServerThatComesBackIsReportedOnceAndEnds) {
    auto server = mortalServer();
    const std::string port = server->port();
    Process run(client({"--port", port, "--rate", "500", "--duration", "10", "--json-lines", "-",
                        "--json", "/dev/stderr"}));
    awaitMeasuring(run);
    const nio::TimePoint lived = nio::Clock::now();
    server.reset();
    const nio::TimePoint died = nio::Clock::now();
    // Long enough that the pause between two dials is little of it.
    (void)nio::kernel::waitPoll({}, milliseconds(3000)).orThrow();
    const double least = secondsSince(died);
    Process again({bin("echo-server"), "--port", port, "--threads", "1"});
    EXPECT_THAT(again.readLine(), HasSubstr("listening on"));
    const double most = secondsSince(lived);
    EXPECT_EQ(run.wait(), 1);
    const json report = json::parse(run.errors().substr(0, run.errors().rfind("echo-client: ")));
    ASSERT_EQ(report["outages"].size(), 1u);
    const json outage = report["outages"][0];
    EXPECT_GE(outage["seconds"], 0.9 * least);
    EXPECT_LE(outage["seconds"], 1.1 * most);
    EXPECT_GE(outage["connections"], 10);
    EXPECT_GT(outage["sentLate"], 500 * least / 2);
    EXPECT_EQ(report["held"], 0) << "nothing is blamed on --pipeline";
    EXPECT_GT(report["reconnectsFailed"], 0);
    EXPECT_NEAR(report["seconds"], 10, 0.1) << "it ran to its end";
    EXPECT_GT(report["echoes"].get<double>(), 500 * (10 - most) / 2);
    EXPECT_THAT(run.errors(), HasSubstr("echo-client: outage from "));
}

TEST(Outage, OfAServerThatStaysAwayLeavesMessagesUnsent) {
    auto server = mortalServer();
    Process run(client({"--port", server->port(), "--rate", "500", "--duration", "6",
                        "--json-lines", "-", "--json", "/dev/stderr"}));
    awaitMeasuring(run);
    server.reset();
    EXPECT_EQ(run.wait(), 1);
    const json report = json::parse(run.errors().substr(0, run.errors().rfind("echo-client: ")));
    EXPECT_EQ(report["outages"].size(), 1u);
    EXPECT_GT(report["unsent"], 0);
    EXPECT_NEAR(report["seconds"], 6, 0.1);
}

TEST(Outage, IsNoneWhereConnectionsAreNotReplaced) {
    OddServer server([](OddConnection& connection, nio::ByteView bytes) {
        nio::onDispatcher.assertCurrent();
        connection.calls == 3 ? connection.abort() : connection.send(bytes);
    });
    Process run(client({"--port", server.port(), "--rate", "1k", "--no-reconnect", "--duration",
                        "600", "--json", "-"}));
    EXPECT_EQ(run.wait(), 1);
    const json report = json::parse(run.output());
    EXPECT_EQ(report["outages"].size(), 0u);
    EXPECT_EQ(report["errors"]["reset"], 10);
}

TEST(Interrupt, IsAcknowledgedAndASecondOneEndsTheWait) {
    OddServer silent([](OddConnection&, nio::ByteView) {});
    Process run({bin("echo-client"), "--port", silent.port(), "--connections", "3", "--warmup", "0",
                 "--timeout", "1000", "--duration", "1000", "--json", "-"});
    while (run.readErrorLine().find("no latency") == std::string::npos) {
    }
    run.signal(SIGINT);
    while (run.readErrorLine() != "echo-client: waiting for answers; Ctrl-C again ends") {
    }
    run.signal(SIGINT);
    EXPECT_EQ(run.wait(), 1);
    EXPECT_EQ(json::parse(run.output())["errors"]["timedOut"], 3);
}

}  // namespace
