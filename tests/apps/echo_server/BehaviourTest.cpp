// What echo-server does other than echo at once, as its users ask for it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include "echo_server/ByteServices.h"
#include "support/Echoes.h"
#include "support/ServerProcess.h"

#include "nio-tls/Certificates.h"

namespace {

using support::bin;
using support::echoes;
using support::Process;
using support::pumpUntil;
using support::ServerProcess;
using support::TestClient;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::MatchesRegex;

using Options = std::vector<std::string>;

// What comes back until the server ends the connection; the client sends no FIN.
std::string answerUntilEnd(const nio::SocketAddress& server, const std::string& request) {
    TestClient client(server);
    client.send(request);
    EXPECT_TRUE(pumpUntil({&client}, [&] { return client.hasEnded(); }));
    EXPECT_EQ(client.end(), TestClient::End::finished);
    return client.received();
}

TEST(EchoBehaviour, ADelayIsNoShorterThanAsked) {
    ServerProcess server({"--port", "0", "--delay", "30ms..40ms"});
    const nio::TimePoint begin = nio::Clock::now();
    EXPECT_TRUE(echoes(server.address(), "late"));
    EXPECT_GE(nio::Clock::now() - begin, std::chrono::milliseconds(30));
    EXPECT_EQ(server.stop(), 0);
}

TEST(EchoBehaviour, AFinDoesNotCutTheDelayedAnswer) {
    for (const char* framing : {"raw", "lines"}) {
        ServerProcess server({"--port", "0", "--delay", "exp:5ms", "--framing", framing});
        EXPECT_TRUE(echoes(server.address(), "one\ntwo\n")) << framing;
        EXPECT_EQ(server.stop(), 0);
    }
}

TEST(EchoBehaviour, ADrainSendsWhatADelayHolds) {
    ServerProcess server({"--port", "0", "--delay", "300ms", "--threads", "1", "--metrics", "0"});
    TestClient client(server.address());
    client.send("held");
    ASSERT_TRUE(pumpUntil({&client}, [&] { return client.unsentBytes() == 0; }));
    server.process().signal(SIGTERM);
    ASSERT_TRUE(pumpUntil({&client}, [&] { return client.hasEnded(); }));
    EXPECT_EQ(client.received(), "held");
}

TEST(EchoBehaviour, PiecesArriveInOrderAMillisecondApart) {
    ServerProcess server({"--port", "0", "--chunk", "1", "--framing", "lines"});
    const nio::TimePoint begin = nio::Clock::now();
    EXPECT_TRUE(echoes(server.address(), "abcdefghi\njklmnopqr\n"));
    EXPECT_GE(nio::Clock::now() - begin, std::chrono::milliseconds(19));
    EXPECT_EQ(server.stop(), 0);
}

TEST(EchoBehaviour, AStallOnlyDelays) {
    ServerProcess server({"--port", "0", "--stall", "200ms/250ms"});
    nio::Clock::duration longest{0};
    const nio::TimePoint end = nio::Clock::now() + std::chrono::milliseconds(500);
    while (nio::Clock::now() < end) {
        const nio::TimePoint begin = nio::Clock::now();
        ASSERT_TRUE(echoes(server.address(), "hello"));
        longest = std::max(longest, nio::Clock::now() - begin);
    }
    EXPECT_GE(longest, std::chrono::milliseconds(100)) << "two periods hold one whole stall";
    EXPECT_EQ(server.stop(), 0);
}

TEST(EchoBehaviour, ClosesAfterBytesPacketsOrATime) {
    ServerProcess bytes({"--port", "0", "--close-after", "5"});
    EXPECT_EQ(answerUntilEnd(bytes.address(), "12345678"), "12345");
    ServerProcess packets({"--port", "0", "--close-after", "2", "--framing", "lines"});
    EXPECT_EQ(answerUntilEnd(packets.address(), "a\nbc\nd\n"), "a\nbc\n");
    ServerProcess time({"--port", "0", "--close-after", "20ms"});
    EXPECT_EQ(answerUntilEnd(time.address(), ""), "");
}

TEST(EchoBehaviour, DiscardsEverything) {
    ServerProcess server({"--port", "0", "--discard"});
    EXPECT_TRUE(echoes(server.address(), ""));
    TestClient client(server.address());
    client.send("nothing comes back");
    client.finish();
    EXPECT_TRUE(pumpUntil({&client}, [&] { return client.hasEnded(); }));
    EXPECT_THAT(client.received(), IsEmpty());
}

TEST(EchoBehaviour, GeneratesTheLinesOfRfc864) {
    ServerProcess server({"--port", "0", "--chargen"});
    TestClient client(server.address());
    client.finish();
    const std::string twice = echo::Chargen::pattern() + echo::Chargen::pattern();
    ASSERT_TRUE(pumpUntil({&client}, [&] { return client.received().size() >= twice.size(); }));
    EXPECT_EQ(client.received().substr(0, twice.size()), twice);
    EXPECT_THAT(twice, testing::StartsWith(" !\"#$%&'()"));
    EXPECT_EQ(twice.substr(72, 5), "\r\n!\"#");
}

TEST(EchoBehaviour, TakesAProxyHeaderOffAndShowsIt) {
    ServerProcess server({"--port", "0", "--proxy-protocol", "--verbose"});
    TestClient client(server.address());
    client.send("PROXY TCP4 192.0.2.1 192.0.2.2 1234 80\r\nhello");
    EXPECT_TRUE(pumpUntil({&client}, [&] { return client.hasReceived("hello"); }));
    EXPECT_THAT(server.process().readErrorLine(), HasSubstr(" connected: 127.0.0.1:"));
    EXPECT_THAT(server.process().readErrorLine(),
                AllOf(HasSubstr(" proxied: 127.0.0.1:"),
                      HasSubstr(": 192.0.2.1:1234 to 192.0.2.2:80 (version 1)")));
}

TEST(EchoBehaviour, TakesAProxyHeaderOfVersion2) {
    ServerProcess server({"--port", "0", "--proxy-protocol", "--verbose"});
    const std::string signature("\r\n\r\n\0\r\nQUIT\n", 12);
    const std::string addresses("\xC0\0\x02\x01\xC0\0\x02\x02\x04\xD2\0\x50", 12);
    const std::string ofNothing("\x04\0\0", 3);  // a TLV without a value
    TestClient client(server.address());
    client.send(signature + std::string("\x21\x11\0\x0F", 4) + addresses + ofNothing + "hello");
    EXPECT_TRUE(pumpUntil({&client}, [&] { return client.hasReceived("hello"); }));
    (void)server.process().readErrorLine();
    EXPECT_THAT(server.process().readErrorLine(),
                HasSubstr(": 192.0.2.1:1234 to 192.0.2.2:80 (version 2)"));
}

// Told of a proxy itself, which may check whether the server lives.
TEST(EchoBehaviour, ALocalProxyHeaderNamesNobody) {
    ServerProcess server({"--port", "0", "--proxy-protocol"});
    const std::string header("\r\n\r\n\0\r\nQUIT\n\x20\0\0\0", 16);
    TestClient client(server.address());
    client.send(header + "hello");
    EXPECT_TRUE(pumpUntil({&client}, [&] { return client.hasReceived("hello"); }));
}

TEST(EchoBehaviour, TheRestOfAMalformedHeaderIsNoNewOne) {
    ServerProcess server({"--port", "0", "--proxy-protocol", "--threads", "1"});
    TestClient client(server.address());
    client.send("GET / HTTP/1.1\r\n");
    ASSERT_TRUE(pumpUntil({&client}, [&] { return client.hasEnded(); }));
    client.send("GET / HTTP/1.1\r\n\r\n");
    client.finish();
    client.pump();
    (void)server.process().readErrorLine();
    EXPECT_EQ(server.stop(), 0);
    EXPECT_THAT(server.process().errors(), IsEmpty());
}

TEST(EchoBehaviour, WorksUnderTls) {
    support::Authority authority("behaviour");
    const nio::TlsServerFiles files = authority.issue("server", {.names = "DNS:localhost"});
    for (const Options& behaviour :
         {Options{"--delay", "2ms"}, Options{"--chunk", "7"}, Options{"--stall", "5ms/10ms"}}) {
        Options options{"--port", "0", "--tls-cert", files.certificate, "--tls-key", files.key};
        options.insert(options.end(), behaviour.begin(), behaviour.end());
        ServerProcess server(options);
        Process client({bin("echo-client"), server.address().toString(), "--tls", "--cacert",
                        authority.file(), "--sni", "localhost", "-c", "2", "-n", "6", "--quiet",
                        "--timeout", "20"});
        EXPECT_EQ(client.wait(), 0) << behaviour.front() << ": " << client.errors();
        EXPECT_EQ(server.stop(), 0);
    }
}

TEST(EchoBehaviour, AMalformedProxyHeaderIsOneLine) {
    ServerProcess server({"--port", "0", "--proxy-protocol"});
    EXPECT_EQ(answerUntilEnd(server.address(), "GET / HTTP/1.1\r\n\r\n"), "");
    EXPECT_THAT(server.process().readErrorLine(),
                AllOf(HasSubstr(" refused: 127.0.0.1:"), HasSubstr("PROXY header")));
    EXPECT_EQ(server.stop(), 0);
    EXPECT_THAT(server.process().errors(), IsEmpty());
}

TEST(EchoBehaviour, VerboseLinesHaveTimeBytesAndDuration) {
    ServerProcess server({"--port", "0", "--verbose"});
    EXPECT_TRUE(echoes(server.address(), "hello"));
    EXPECT_THAT(server.process().readErrorLine(),
                MatchesRegex("[0-9-]+T[0-9:.]+Z connected: 127.0.0.1:[0-9]+ on echo-[0-9]+"));
    EXPECT_THAT(server.process().readErrorLine(),
                MatchesRegex("[0-9-]+T[0-9:.]+Z disconnected: 127.0.0.1:[0-9]+: closed normally, "
                             "received 5 bytes, sent 5 bytes, open [0-9]+[.][0-9]+ s"));
}

TEST(EchoBehaviour, ListensInSeveralPlaces) {
    const std::string name = "unix:@nio-echo-test-" + std::to_string(::getpid());
    ServerProcess server({"--listen", "127.0.0.1:0", "--listen", "*:0", "--listen", name});
    const std::string line = server.readyLine();
    EXPECT_TRUE(echoes(server.address(), "first"));
    EXPECT_TRUE(echoes(nio::SocketAddress::parse(name).orThrow(), "abstract"));
    const std::size_t begin = line.find("[::]:") + 5;
    ASSERT_NE(begin, std::string::npos + 5) << line;
    const auto port = static_cast<std::uint16_t>(std::stoul(line.substr(begin)));
    EXPECT_TRUE(echoes(nio::SocketAddress::loopback4(port), "four"));
    EXPECT_TRUE(echoes(nio::SocketAddress::loopback6(port), "six"));
    EXPECT_EQ(server.stop(), 0);
}

TEST(EchoBehaviour, OneAddressMayUseTlsAndAnotherNot) {
    support::Authority authority("listeners");
    const nio::TlsServerFiles files = authority.issue("server", {.names = "DNS:localhost"});
    ServerProcess server({"--listen", "127.0.0.1:0", "--listen", "tls:127.0.0.1:0", "--tls-cert",
                          files.certificate, "--tls-key", files.key});
    EXPECT_TRUE(echoes(server.address(), "plain"));
    const std::string& line = server.readyLine();
    const std::size_t begin = line.find("tls:") + 4;
    ASSERT_NE(begin, std::string::npos + 4) << line;
    Process client({bin("echo-client"), line.substr(begin, line.find(' ', begin) - begin), "--tls",
                    "--cacert", authority.file(), "--sni", "localhost", "-c", "2", "-n", "6",
                    "--quiet", "--timeout", "20"});
    EXPECT_EQ(client.wait(), 0) << client.errors();
    EXPECT_EQ(server.stop(), 0);
}

// As a service manager does it.
TEST(EchoBehaviour, ListensOnAPassedSocket) {
    const Options manager{"python3", "-c",
                          "import os, socket, sys\n"
                          "listener = socket.create_server(('127.0.0.1', 0))\n"
                          "os.dup2(listener.fileno(), 3)\n"
                          "os.set_inheritable(3, True)\n"
                          "os.environ.update(LISTEN_FDS='1', LISTEN_PID=str(os.getpid()))\n"
                          "os.execv(sys.argv[1], sys.argv[1:])\n"};
    ServerProcess server({}, manager);
    EXPECT_TRUE(echoes(server.address(), "passed"));
    EXPECT_EQ(server.stop(), 0);
    Options command = manager;
    command.insert(command.end(), {bin("echo-server"), "--listen", "0"});
    Process contradictory(command);
    EXPECT_EQ(contradictory.wait(), 2);
    EXPECT_THAT(contradictory.errors(), HasSubstr("sockets were passed (LISTEN_FDS)"));
}

class EchoContradiction : public testing::TestWithParam<Options> {};

TEST_P(EchoContradiction, IsOneLineAndExitTwo) {
    Options command{bin("echo-server")};
    command.insert(command.end(), GetParam().begin(), GetParam().end());
    Process server(command);
    EXPECT_EQ(server.wait(), 2);
    EXPECT_THAT(server.errors(), MatchesRegex("echo-server: [^\n]+\n"));
}

INSTANTIATE_TEST_SUITE_P(
    All, EchoContradiction,
    testing::Values(Options{"--delay", "x"}, Options{"--delay", "5ms..1ms"},
                    Options{"--stall", "1s"}, Options{"--stall", "1s/1s"},
                    Options{"--close-after", "0"}, Options{"--close-after", "soon"},
                    Options{"--chunk", "0"}, Options{"--discard", "--chargen"},
                    Options{"--discard", "--delay", "1ms"}, Options{"--discard", "--chunk", "1"},
                    Options{"--discard", "--close-after", "5"},
                    Options{"--chargen", "--stall", "1ms/1s"}, Options{"--listen", "x"},
                    Options{"--listen", "unix:@"}, Options{"--listen", "1", "--port", "2"},
                    Options{"--listen", "unix:@x", "--unix-mode", "600"},
                    Options{"--listen", "tls:0"}, Options{"--listen", "tls:x"}));

TEST(EchoBehaviour, ADrainUnderOpenLoopLoadHalfCloses) {
    ServerProcess server({"--port", "0", "--threads", "1", "--drain-timeout", "100"});
    TestClient client(server.address());
    const auto feed = [&] {
        if (client.unsentBytes() == 0) client.send("x");
        ::usleep(1000);
    };
    ASSERT_TRUE(pumpUntil({&client}, [&] {
        feed();
        return !client.received().empty();
    }));
    server.process().signal(SIGTERM);
    ASSERT_TRUE(pumpUntil({&client}, [&] {
        if (!client.hasEnded()) feed();
        return client.hasEnded();
    }));
    EXPECT_EQ(client.end(), TestClient::End::finished);
    client.close();
    EXPECT_EQ(server.process().wait(), 0);
    EXPECT_THAT(server.process().output(), HasSubstr("1 connections drained, 0 aborted"));
}

}  // namespace
