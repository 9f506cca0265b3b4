// echo-client as its users meet it: the program itself, against echo-server, and against servers
// that do wrong.
#include <signal.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "apps/echo_client/EchoClientTesting.h"

namespace {

using namespace echoclient;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::MatchesRegex;
using testing::StartsWith;

// --- all is well ----------------------------------------------------------------------------

class EchoClientFraming : public testing::TestWithParam<const char*> {};

TEST_P(EchoClientFraming, FindsNothingWrongWithOurServer) {
    const EchoServerProcess server({"--framing", GetParam()});
    for (const Arguments& load :
         {Arguments{"--size", "64"}, Arguments{"--size", "5000", "--pipeline", "16"},
          Arguments{"--size", "1", "--selector", "poll"}}) {
        Process run(client({"--port", server.port(), "--framing", GetParam()}) + load);
        EXPECT_EQ(run.wait(), 0) << run.errors();
        EXPECT_THAT(run.output(), AllOf(StartsWith("echo-client: 10 connections to 127.0.0.1:"),
                                        HasSubstr("\nconnections   10 of 10\n"),
                                        HasSubstr("\nerrors        none\n")));
        EXPECT_THAT(run.errors(), IsEmpty());
    }
}

INSTANTIATE_TEST_SUITE_P(All, EchoClientFraming,
                         testing::Values("raw", "stx-etx", "lines", "length"),
                         [](const auto& framing) {
                             std::string name = framing.param;
                             std::erase(name, '-');
                             return name;
                         });

TEST(EchoClient, SendsMessagesThatNoBufferHolds) {
    const EchoServerProcess server;
    Process run(client({"--port", server.port(), "--size", "3000000", "--pipeline", "2",
                        "--connections", "1", "--duration", "1", "--timeout", "60"}));
    EXPECT_EQ(run.wait(), 0) << run.errors();
}

TEST(EchoClient, TellsWhatTheServersProcessUsed) {
    const EchoServerProcess server;
    Process run(client({"--port", server.port(), "--json", "-", "--server-pid", server.pid(),
                        "--messages", "20000"}));
    EXPECT_EQ(run.wait(), 0) << run.errors();
    const json report = json::parse(run.output());
    const json& used = report["serverProcess"];
    EXPECT_EQ(std::to_string(used["pid"].get<int>()), server.pid());
    EXPECT_GT(used["seconds"], 0.0);
    EXPECT_GT(used["cpuMicrosecondsPerEcho"], 0.0);
    EXPECT_GE(used["threads"], 2);
    EXPECT_GT(used["residentKib"]["before"], 0);
    EXPECT_GT(used["privateDirtyKib"]["after"], 0);
}

TEST(EchoClient, WritesTheReportAsJsonInsteadWhereAskedTo) {
    const EchoServerProcess server;
    Process run(client({"--port", server.port(), "--json", "-", "--pipeline", "3"}));
    EXPECT_EQ(run.wait(), 0) << run.errors();
    const json report = json::parse(run.output());
    EXPECT_GT(report["echoes"], 0);
    EXPECT_GT(report["echoesPerSecond"], 0.0);
    EXPECT_GT(report["megabytesPerSecond"], 0.0);
    EXPECT_GT(report["seconds"], 0.0);
    EXPECT_EQ(report["pipeline"], 3);
    EXPECT_EQ(report["connections"], (json{{"asked", 10}, {"made", 10}}));
    EXPECT_EQ(report["exitCode"], 0);
    double before = 0;
    for (const char* name : {"min", "p50", "p90", "p99", "p99.9", "max"}) {
        const double value = report["latencyMicroseconds"][name];
        EXPECT_GE(value, before) << name;
        before = value;
    }
    EXPECT_GT(report["connectMicroseconds"]["min"], 0.0);
    EXPECT_EQ(report["errors"]["reset"], 0);
}

TEST(EchoClient, WritesJsonToAFileBesidesTheReport) {
    const EchoServerProcess server;
    const std::string path = testing::TempDir() + "echo-client-" + server.port() + ".json";
    Process run(client({"--port", server.port(), "--json", path}));
    EXPECT_EQ(run.wait(), 0) << run.errors();
    EXPECT_THAT(run.output(), HasSubstr("\nerrors        none\n"));
    std::ifstream file(path);
    EXPECT_EQ(json::parse(file)["connections"]["made"], 10);
    std::filesystem::remove(path);
}

TEST(EchoClient, TalksToAUnixDomainSocket) {
    const std::string path =
        testing::TempDir() + "echo-client-" + std::to_string(::getpid()) + ".sock";
    Process server({bin("echo-server"), "--unix", path, "--threads", "1"});
    EXPECT_THAT(server.readLine(), StartsWith("echo-server listening on unix:"));
    Process run(client({"--unix", path}));
    EXPECT_EQ(run.wait(), 0) << run.errors();
    EXPECT_THAT(run.output(), HasSubstr(" to unix:" + path));
    server.signal(SIGTERM);
    EXPECT_EQ(server.wait(), 0);
}

TEST(EchoClient, FindsTheAddressOfANameThatAnswers) {
    const EchoServerProcess server;
    Process run(client({"--host", "localhost", "--port", server.port()}));
    EXPECT_EQ(run.wait(), 0) << run.errors();
}

TEST(EchoClient, DealsItsConnectionsOutToTheSourceAddresses) {
    OddServer server(echo);
    Process run(client({"--port", server.port(), "--connections", "6", "--threads", "2", "--source",
                        "127.0.0.2,127.0.0.3,127.0.0.4"}));
    EXPECT_EQ(run.wait(), 0) << run.errors();
    EXPECT_EQ(server.peers(), (std::multiset<std::string>{"127.0.0.2", "127.0.0.2", "127.0.0.3",
                                                          "127.0.0.3", "127.0.0.4", "127.0.0.4"}));
}

// The next line of errors but for the progress that it prints where connecting takes long.
std::string nextErrorLine(Process& run) {
    std::string line = run.readErrorLine();
    while (line.starts_with("echo-client: connecting: ")) line = run.readErrorLine();
    return line;
}

TEST(EchoClient, EndsEarlyWithItsReportWhenItIsInterrupted) {
    for (const int signal : {SIGINT, SIGTERM}) {
        const EchoServerProcess server;
        Process run(
            {bin("echo-client"), "--port", server.port(), "--duration", "600", "--warmup", "0"});
        EXPECT_THAT(nextErrorLine(run), MatchesRegex("echo-client: [0-9]+ %  [0-9]+ echoes/s  .*"));
        run.signal(signal);
        EXPECT_EQ(run.wait(), 0) << run.errors();
        EXPECT_THAT(run.output(), HasSubstr(" s, interrupted\n"));
        EXPECT_THAT(run.output(), HasSubstr("\nerrors        none\n"));
    }
}

// --- something is not -----------------------------------------------------------------------

TEST(EchoClient, SaysInOneLineThatTheServerRefuses) {
    // Bound, so that nobody else gets it, but not listening.
    const nio::UniqueFd held =
        nio::kernel::openStreamSocket(nio::SocketAddress::Family::ipv4).orThrow();
    nio::kernel::bind(held.get(), nio::SocketAddress::loopback4(0)).orThrow();
    const std::string port = std::to_string(nio::kernel::localAddress(held.get()).orThrow().port());
    Process run({bin("echo-client"), "--port", port, "--connections", "1000"});
    EXPECT_EQ(nextErrorLine(run),
              "echo-client: connect to 127.0.0.1:" + port + ": Connection refused");
    EXPECT_EQ(run.wait(), 1);
    EXPECT_THAT(run.errors(), IsEmpty());
    EXPECT_THAT(run.output(), IsEmpty());
}

TEST(EchoClient, TakesAChangedByteForAWrongAnswer) {
    OddServer server([](OddConnection& connection, nio::ByteView bytes) {
        nio::onDispatcher.assertCurrent();
        nio::Bytes copy(bytes.begin(), bytes.end());
        if (connection.calls == 5) copy.back() ^= nio::Byte{0x10};
        connection.send(copy);
    });
    Process run(client({"--port", server.port()}));
    EXPECT_EQ(run.wait(), 3);
    EXPECT_THAT(run.errors(),
                MatchesRegex("echo-client: wrong answer: connection [0-9]+, message 4: byte 63 "
                             "is 0x.. instead of 0x..\n"));
    EXPECT_THAT(run.output(), HasSubstr("\nerrors        10 corrupted\n"));
}

TEST(EchoClient, TakesAnAnswerTooManyForAWrongOne) {
    OddServer server([](OddConnection& connection, nio::ByteView bytes) {
        nio::onDispatcher.assertCurrent();
        connection.send(bytes);
        if (connection.calls == 5) connection.send(bytes);
    });
    Process run(client({"--port", server.port()}));
    EXPECT_EQ(run.wait(), 3);
}

TEST(EchoClient, TakesAnotherFramingForAWrongAnswer) {
    OddServer server([](OddConnection& connection, nio::ByteView) {
        nio::onDispatcher.assertCurrent();
        connection.send(nio::asBytes("this is no packet\n"));
    });
    Process run(client({"--port", server.port(), "--framing", "stx-etx"}));
    EXPECT_EQ(run.wait(), 3);
}

TEST(EchoClient, StopsEarlyWhenTheServerClosesItsConnections) {
    OddServer server([](OddConnection& connection, nio::ByteView bytes) {
        nio::onDispatcher.assertCurrent();
        connection.send(bytes);
        if (connection.calls == 10) connection.closeAfterFlush();
    });
    Process run(client({"--port", server.port(), "--duration", "600"}));
    EXPECT_EQ(run.wait(), 1);
    EXPECT_THAT(run.output(), HasSubstr("\nerrors        10 closed early\n"));
}

TEST(EchoClient, CountsConnectionsThatTheServerResets) {
    OddServer server([](OddConnection& connection, nio::ByteView bytes) {
        nio::onDispatcher.assertCurrent();
        connection.calls == 10 ? connection.abort() : connection.send(bytes);
    });
    Process run(client({"--port", server.port(), "--duration", "600"}));
    EXPECT_EQ(run.wait(), 1);
    EXPECT_THAT(run.output(), HasSubstr("\nerrors        10 reset\n"));
}

TEST(EchoClient, CountsMessagesThatWereNeverAnswered) {
    OddServer server([](OddConnection&, nio::ByteView) {});
    Process run(client({"--port", server.port(), "--pipeline", "3", "--json", "-"}));
    EXPECT_EQ(run.wait(), 1);
    const json report = json::parse(run.output());
    EXPECT_EQ(report["errors"]["timedOut"], 30);
    EXPECT_EQ(report["echoes"], 0);
}

TEST(EchoClient, AnswersAMistakeOfItsUserWithOneLineAndTwo) {
    for (const Arguments& mistake :
         {Arguments{"--size", "0"}, Arguments{"--framing", "lines", "--size", "70000"},
          Arguments{"--framing", "morse"}, Arguments{"--connections", "many"},
          Arguments{"--pipeline", "0"}, Arguments{"--duration", "0"}, Arguments{"--bogus"},
          Arguments{"--source", "nowhere"}, Arguments{"--unix", "/x", "--port", "1"},
          Arguments{"--host", "no-such-name.invalid"}, Arguments{"--json", "/no-such/folder/x"}}) {
        Process run(Arguments{bin("echo-client")} + mistake);
        EXPECT_EQ(run.wait(), 2) << mistake.front();
        EXPECT_THAT(run.errors(), MatchesRegex("echo-client: [^\n]+\n")) << mistake.front();
        EXPECT_THAT(run.output(), IsEmpty());
    }
}

TEST(EchoClient, RefusesMoreConnectionsThanItMayOpenDescriptors) {
    Process run({"sh", "-c", "ulimit -n 64; exec " + bin("echo-client") + " --connections 60"});
    EXPECT_EQ(run.wait(), 2);
    EXPECT_THAT(
        run.errors(),
        MatchesRegex("echo-client: --connections 60: the limit of 64 file .* only [0-9]+\n"));
}

TEST(EchoClient, SaysItsVersionAndItsOptions) {
    Process version({bin("echo-client"), "--version"});
    EXPECT_EQ(version.wait(), 0);
    EXPECT_THAT(version.output(), MatchesRegex("echo-client [0-9.]+\n"));
    Process help({bin("echo-client"), "--help"});
    EXPECT_EQ(help.wait(), 0);
    EXPECT_THAT(help.output(), HasSubstr("--pipeline"));
}

}  // namespace
