// echo-server as its users meet it: the program itself.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <thread>

#include "support/Echoes.h"
#include "support/PreciseThreads.h"
#include "support/PumpUntil.h"
#include "support/ServerProcess.h"
#include "support/TestClient.h"

namespace {

using support::bin;
using support::echoes;
using support::Process;
using support::pumpUntil;
using support::ServerProcess;
using support::TestClient;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::MatchesRegex;

std::string temporaryPath(const std::string& name) {
    return std::filesystem::temp_directory_path() /
           (name + "." + std::to_string(::getpid()) + ".sock");
}

TEST(EchoServer, SaysInOneLineWhereItListensAndHow) {
    ServerProcess server({"--port", "0", "--threads", "2", "--selector", "poll"});
    EXPECT_THAT(server.readyLine(), MatchesRegex("echo-server listening on 127\\.0\\.0\\.1:[0-9]+ "
                                                 "\\(2 dispatchers, poll\\)"));
}

TEST(EchoServer, EchoesDrainsOnSigtermAndExitsWithZero) {
    ServerProcess server({"--port", "0"});
    EXPECT_TRUE(echoes(server.address(), "hello"));
    EXPECT_EQ(server.stop(), 0);
    EXPECT_THAT(server.stoppedLine(),
                "echo-server stopped: 0 connections drained, 0 aborted, 0 bytes lost");
}

TEST(EchoServer, EchoesAndStopsWithABusyEdge) {
    for (const char* spin : {"50us", "1ms", "0"}) {
        ServerProcess server({"--port", "0", "--threads", "2", "--busy-poll", spin});
        EXPECT_TRUE(echoes(server.address(), "hello")) << spin;
        EXPECT_EQ(server.stop(), 0) << spin;
    }
}

TEST(EchoServer, ModeratesEachDispatcherOfEchoes) {
    ServerProcess server(
        {"--port", "0", "--threads", "3", "--metrics", "0", "--moderation", "1ms"});
    const pid_t pid = server.process().pid();
    if (!support::preciseThreads(pid)) GTEST_SKIP() << "needs CAP_SYS_NICE";
    EXPECT_TRUE(support::comesToPreciseThreads(pid, 3)) << *support::preciseThreads(pid);
    EXPECT_TRUE(echoes(server.address(), "hello"));
    EXPECT_EQ(server.stop(), 0);
}

TEST(EchoServer, ModeratesNoDispatcherUnlessAskedFor) {
    ServerProcess server({"--port", "0", "--threads", "1"});
    const pid_t pid = server.process().pid();
    if (!support::preciseThreads(pid)) GTEST_SKIP() << "needs CAP_SYS_NICE";
    EXPECT_TRUE(echoes(server.address(), "hello"));
    EXPECT_EQ(support::preciseThreads(pid), 0U);
}

TEST(EchoServer, ServesIpv6) {
    ServerProcess server({"--host", "::1", "--port", "0"});
    EXPECT_THAT(server.readyLine(), HasSubstr("[::1]:"));
    EXPECT_TRUE(echoes(server.address(), "six"));
}

TEST(EchoServer, ServesAUnixSocketWithItsModeAndRemovesTheFile) {
    const std::string path = temporaryPath("echo-server-test");
    {
        ServerProcess server({"--unix", path, "--unix-mode", "600"});
        EXPECT_TRUE(echoes(server.address(), "local"));
        using std::filesystem::perms;
        EXPECT_EQ(std::filesystem::status(path).permissions(),
                  perms::owner_read | perms::owner_write);
        EXPECT_EQ(server.stop(), 0);
    }
    EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(EchoServer, NamesAPortThatIsInUseAndExitsWithOne) {
    ServerProcess first({"--port", "0"});
    const std::string port = std::to_string(first.address().port());
    Process second({bin("echo-server"), "--port", port});
    EXPECT_EQ(second.wait(), 1);
    EXPECT_THAT(second.errors(),
                "echo-server: bind 127.0.0.1:" + port + ": Address already in use\n");
    EXPECT_THAT(second.output(), IsEmpty());
}

std::string httpAnswer(const nio::SocketAddress& server, const std::string& request) {
    TestClient client(server);
    client.send(request);
    EXPECT_TRUE(pumpUntil({&client}, [&] { return client.hasEnded(); }));
    return client.received();
}

const std::string getMetrics = "GET /metrics HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";

TEST(EchoServer, ServesTheMetricsOfItsDispatchers) {
    ServerProcess server({"--port", "0", "--threads", "2", "--metrics", "0"});
    const nio::SocketAddress metrics = server.metricsAddress();
    EXPECT_THAT(metrics.toString(), HasSubstr("127.0.0.1:"));
    EXPECT_TRUE(echoes(server.address(), "hello"));
    const std::string answer = httpAnswer(metrics, getMetrics);
    EXPECT_THAT(answer, testing::StartsWith("HTTP/1.1 200 "));
    EXPECT_THAT(answer, HasSubstr("Content-Type: text/plain; version=0.0.4"));
    EXPECT_THAT(answer, HasSubstr("\nnio_accepts_total{dispatcher=\"echo-1\"} 1\n"));
    EXPECT_THAT(answer, HasSubstr("\nnio_received_bytes_total{dispatcher=\"echo-1\"} 5\n"));
    EXPECT_THAT(answer, HasSubstr("\nnio_received_bytes_total{dispatcher=\"echo-2\"} 0\n"));
    EXPECT_EQ(server.stop(), 0);
}

TEST(EchoServer, SaysThatItIsHealthy) {
    ServerProcess server({"--port", "0", "--threads", "1", "--metrics", "0"});
    const std::string answer = httpAnswer(
        server.metricsAddress(), "GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    EXPECT_THAT(answer, testing::StartsWith("HTTP/1.1 200 "));
    EXPECT_THAT(answer, testing::EndsWith("ok\n"));
    EXPECT_EQ(server.stop(), 0);
}

TEST(EchoServer, ItsMetricsTakeNoPlaceOfItsConnections) {
    ServerProcess server({"--port", "0", "--max-connections", "1", "--metrics", "0"});
    const nio::SocketAddress metrics = server.metricsAddress();
    TestClient asks(metrics);
    TestClient echo(server.address());
    echo.send("1");
    EXPECT_TRUE(pumpUntil({&echo}, [&] { return echo.hasReceived("1"); }));
    EXPECT_THAT(httpAnswer(metrics, getMetrics), testing::StartsWith("HTTP/1.1 200 "));
}

TEST(EchoServer, ItsMetricsRefuseWhatIsNoSmallRequest) {
    ServerProcess server({"--port", "0", "--metrics", "0"});
    const nio::SocketAddress metrics = server.metricsAddress();
    const auto statusOf = [&](const std::string& request) {
        return httpAnswer(metrics, request).substr(9, 3);
    };
    const std::string end = " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n";
    EXPECT_EQ(statusOf("GET /else" + end + "\r\n"), "404");
    EXPECT_EQ(statusOf("POST /metrics" + end + "Content-Length: 0\r\n\r\n"), "405");
    EXPECT_EQ(statusOf("POST /metrics" + end + "Content-Length: 1\r\n\r\nx"), "413");
    EXPECT_EQ(statusOf("GET /metrics" + end + "X: " + std::string(20'000, 'x') + "\r\n\r\n"),
              "431");
    EXPECT_EQ(statusOf("nonsense\r\n\r\n"), "400");
}

TEST(EchoServer, NamesAPortForMetricsThatIsInUseAndExitsWithOne) {
    ServerProcess first({"--port", "0"});
    const std::string port = std::to_string(first.address().port());
    Process second({bin("echo-server"), "--port", "0", "--metrics", port});
    EXPECT_EQ(second.wait(), 1);
    EXPECT_EQ(second.errors(),
              "echo-server: --metrics: bind 127.0.0.1:" + port + ": Address already in use\n");
    EXPECT_THAT(second.output(), IsEmpty());
}

TEST(EchoServer, NamesTheOptionWhoseHostNobodyKnowsAndExitsWithTwo) {
    Process server({bin("echo-server"), "--port", "0", "--metrics", "not an address:1"});
    EXPECT_EQ(server.wait(), 2);
    EXPECT_THAT(server.errors(),
                MatchesRegex("echo-server: --metrics: not an address:1: [^\n]+\n"));
    EXPECT_THAT(server.output(), IsEmpty());
}

class EchoServerMistake : public testing::TestWithParam<std::vector<std::string>> {};

TEST_P(EchoServerMistake, IsOneLineOnStandardErrorAndExitTwo) {
    std::vector<std::string> command{bin("echo-server")};
    command.insert(command.end(), GetParam().begin(), GetParam().end());
    Process server(command);
    EXPECT_EQ(server.wait(), 2);
    EXPECT_THAT(server.errors(), MatchesRegex("echo-server: [^\n]+\n"));
    EXPECT_THAT(server.output(), IsEmpty());
}

using Command = std::vector<std::string>;
INSTANTIATE_TEST_SUITE_P(
    All, EchoServerMistake,
    testing::Values(
        Command{"--nonsense"}, Command{"--port", "70000"}, Command{"--port", "x"},
        Command{"--port"}, Command{"--max-connections", "1.5"}, Command{"--max-connections", "2G"},
        Command{"--threads", "-1"}, Command{"--selector", "devpoll"}, Command{"--framing", "xml"},
        Command{"--metrics", "x"}, Command{"--stall-limit", "-1"}, Command{"--flight-records", "x"},
        Command{"--metrics", "70000"}, Command{"--idle-timeout", "soon"},
        Command{"--busy-poll", "x"}, Command{"--keepalive", "0"}, Command{"--keepalive", "-1"},
        Command{"--keepalive", "1d"}, Command{"--read-limit", "0"}, Command{"--read-limit", "17Mi"},
        Command{"--moderation", "x"}, Command{"--moderation", "11ms"},
        Command{"--moderation", "50"}, Command{"--busy-poll", "-1us"}, Command{"--busy-poll", "50"},
        Command{"--busy-poll", "1001ms"}, Command{"--drain-timeout", "-1"},
        Command{"--host", "not an address"}, Command{"--unix", "/tmp/x", "--port", "1"},
        Command{"--unix-mode", "600"}, Command{"--unix", "/tmp/x", "--unix-mode", "999"},
        Command{"--unix", "/tmp/x", "--unix-mode", ""}, Command{"--host", ""},
        Command{"--metrics", ""}, Command{"surplus"}, Command{"--unix", std::string(200, 'x')},
        Command{"--dealing", "fairly"}, Command{"--rebalance-interval", "1"},
        Command{"--rebalance", "--rebalance-interval", "0"},
        Command{"--rebalance", "--rebalance-difference", "0"},
        Command{"--rebalance", "--rebalance-moves", "0"}));

TEST(EchoServer, ShowsHelpAndVersion) {
    Process help({bin("echo-server"), "--help"});
    EXPECT_EQ(help.wait(), 0);
    for (const char* option : {"--drain-timeout", "--dealing", "--rebalance-interval"}) {
        EXPECT_THAT(help.output(), HasSubstr(option));
    }
    Process full({"/bin/sh", "-c", bin("echo-server") + " --help > /dev/full"});
    EXPECT_EQ(full.wait(), 1);
    EXPECT_EQ(full.errors(), "echo-server: cannot write to standard output\n");
    Process version({bin("echo-server"), "--version"});
    EXPECT_EQ(version.wait(), 0);
    EXPECT_THAT(version.output(), MatchesRegex("echo-server [0-9.]+\n"));
}

TEST(EchoServer, DealsByEachRuleAndRebalancesWhenAskedTo) {
    for (const char* rule : {"round-robin", "fewest", "least-busy"}) {
        ServerProcess server({"--port", "0", "--threads", "2", "--dealing", rule, "--rebalance",
                              "--rebalance-interval", "0.001", "--rebalance-difference", "1",
                              "--rebalance-moves", "1"});
        for (int i = 0; i < 3; ++i) EXPECT_TRUE(echoes(server.address(), "hello")) << rule;
        EXPECT_EQ(server.stop(), 0);
    }
}

TEST(EchoServer, ClosesAConnectionWhoseLineItCannotPrint) {
    ServerProcess server({"--port", "0", "--threads", "1", "--framing", "lines"});
    TestClient client(server.address());
    client.send("one\na\r\r\n");
    ASSERT_TRUE(pumpUntil({&client}, [&] { return client.hasEnded(); }));
    EXPECT_EQ(client.end(), TestClient::End::finished);
    EXPECT_EQ(client.received(), "one\n");
    client.close();
    EXPECT_EQ(server.stop(), 0);
    EXPECT_THAT(server.process().errors(), Not(HasSubstr("the framing cannot carry this packet")));
}

TEST(EchoServer, LosesNoByteWhenItIsTerminatedInMidStream) {
    for (const char* framing : {"raw", "lines"}) {
        // A slow machine may need longer than usual to read what the drain still reads.
        ServerProcess server(
            {"--port", "0", "--threads", "2", "--framing", framing, "--drain-timeout", "25"});
        TestClient client(server.address());
        const std::string line = std::string(99, 'x') + "\n";
        std::string sent;
        const auto feed = [&] {
            if (client.unsentBytes() > 0) return;
            client.send(line);
            sent += line;
        };
        ASSERT_TRUE(pumpUntil({&client}, [&] {
            feed();
            return client.received().size() > 50'000;
        }));
        server.process().signal(SIGTERM);
        ASSERT_TRUE(pumpUntil({&client}, [&] {
            if (!client.hasEnded()) feed();
            return client.hasEnded();
        }));
        EXPECT_EQ(client.end(), TestClient::End::finished);
        EXPECT_EQ(client.received(), sent.substr(0, client.received().size()));
        client.close();
        EXPECT_THAT(server.process().readLine(),
                    HasSubstr("1 connections drained, 0 aborted, 0 bytes lost"));
        EXPECT_EQ(server.process().wait(), 0);
    }
}

TEST(EchoServer, StopsAtOnceOnASecondSignal) {
    ServerProcess server({"--port", "0", "--drain-timeout", "1000"});
    TestClient client(server.address());
    client.send("x");
    ASSERT_TRUE(pumpUntil({&client}, [&] { return client.hasReceived("x"); }));
    server.process().signal(SIGTERM);
    // It half-closes when the connection has been quiet, and then waits for this client, in vain.
    ASSERT_TRUE(pumpUntil({&client}, [&] { return client.hasEnded(); }));
    server.process().signal(SIGINT);
    EXPECT_EQ(server.process().wait(), 0);
}

TEST(EchoServer, EndsAnIdleConnection) {
    ServerProcess server({"--port", "0", "--idle-timeout", "50ms"});
    TestClient client(server.address());
    EXPECT_TRUE(pumpUntil({&client}, [&] { return client.hasEnded(); }));
}

TEST(EchoServer, KeepsItsConnectionLimitAndServesTheNext) {
    ServerProcess server({"--port", "0", "--max-connections", "1"});
    TestClient first(server.address());
    TestClient second(server.address());
    first.send("1");
    second.send("2");
    ASSERT_TRUE(pumpUntil({&first, &second}, [&] { return first.hasReceived("1"); }));
    EXPECT_TRUE(second.received().empty());
    first.close();
    EXPECT_TRUE(pumpUntil({&second}, [&] { return second.hasReceived("2"); }));
}

TEST(EchoServer, AnIdleTimeoutLetsTheNextConnectionIn) {
    ServerProcess server({"--port", "0", "--max-connections", "1", "--idle-timeout", "0.05"});
    TestClient silent(server.address());
    TestClient next(server.address());
    next.send("2");
    EXPECT_TRUE(pumpUntil({&next}, [&] { return next.hasReceived("2"); }));
}

// CPU time of a process in clock ticks.
long cpuTicks(pid_t pid) {
    std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");
    std::string word;
    long user = 0;
    long system = 0;
    for (int i = 0; i < 13; ++i) stat >> word;
    stat >> user >> system;
    return user + system;
}

TEST(EchoServer, SurvivesAConnectionFloodWithFewDescriptors) {
    ServerProcess server(
        {"--port", "0", "--threads", "2", "--max-connections", "100000", "--stall-limit", "0"},
        {"sh", "-c", "ulimit -n 64; exec \"$@\"", "sh"});
    std::vector<std::unique_ptr<TestClient>> flood;
    for (int i = 0; i < 120; ++i) {
        flood.push_back(std::make_unique<TestClient>(server.address()));
    }
    EXPECT_THAT(server.process().readErrorLine(), HasSubstr("out of file descriptors"));
    const long before = cpuTicks(server.process().pid());
    std::this_thread::sleep_for(std::chrono::seconds(1));
    EXPECT_LT(cpuTicks(server.process().pid()) - before, ::sysconf(_SC_CLK_TCK) / 5);
    flood.clear();
    // It may still turn us away before it has seen that all the others are gone.
    bool served = false;
    for (int tries = 0; tries < 1000 && !served; ++tries) {
        served = static_cast<bool>(echoes(server.address(), "still here"));
    }
    EXPECT_TRUE(served);
    EXPECT_EQ(server.stop(), 0);
}

}  // namespace
