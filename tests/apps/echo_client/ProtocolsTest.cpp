// Servers of other protocols, each answer checked: --send and --expect, with and without TLS.
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "apps/echo_client/EchoClientTesting.h"
#include "nio-tls/Certificates.h"
#include "nio/sys/KernelTesting.h"
#include "support/Required.h"

namespace {

using namespace echoclient;
using testing::HasSubstr;

bool isInstalled(const std::string& program) {
    return std::system(("command -v " + program + " >/dev/null 2>&1").c_str()) == 0;
}

// A server at a socket in a folder of its own.
class UnixServer {
  public:
    explicit UnixServer(const std::function<Arguments(const std::string& path)>& command)
        : process_(command(path())) {
        const nio::TimePoint end = nio::Clock::now() + Process::patience;
        while (!std::filesystem::exists(path()) && nio::Clock::now() < end) {
            (void)nio::kernel::waitPoll({}, std::chrono::milliseconds(5)).orThrow();
        }
    }
    std::string path() const { return folder_.file("socket"); }

  private:
    const nio::kerneltest::TemporaryFolder folder_;
    Process process_;
};

// All of so many answers are there and right, however slow the machine is.
constexpr int messages = 200;

json reportOn(const Arguments& load) {
    Process run(Arguments{bin("echo-client"), "--quiet", "--json", "-", "--timeout", "60"} + load);
    EXPECT_EQ(run.wait(), 0) << run.errors();
    const json report = json::parse(run.output());
    EXPECT_EQ(report["errors"]["wrongAnswer"], 0);
    return report;
}

json checked(const Arguments& load, const std::string& connections = "2") {
    const json report =
        reportOn(Arguments{"-c", connections, "-n", std::to_string(messages)} + load);
    EXPECT_EQ(report["echoes"], messages);
    return report;
}

// Each answer is checked.
void loadForFiveSeconds(const Arguments& load, const std::string& connections = "2") {
    const json report = reportOn(Arguments{"-c", connections, "-d", "5"} + load);
    EXPECT_GT(report["echoes"], 0);
    EXPECT_EQ(report["unanswered"], 0);
}

TEST(Protocols, OfRedis) {
    if (!isInstalled("redis-server")) NIO_SKIP_OR_FAIL("no redis-server");
    const UnixServer redis([](const std::string& path) {
        return Arguments{"redis-server", "--port", "0", "--unixsocket", path, "--save", ""};
    });
    loadForFiveSeconds({"--unix", redis.path(), "--send", "PING\\r\\n", "--expect", "+PONG\\r\\n"});
    checked({"--unix", redis.path(), "--pipeline", "8", "--weights", "3,1", "--send",
             "SET k{conn} {random:8}\\r\\n", "--expect", "+OK\\r\\n", "--send", "ECHO {seq}\\r\\n",
             "--expect", "/\\$\\d+\\r\\n\\d+\\r\\n/"});
    checked(
        {"--unix", redis.path(), "--rate", "500", "--send", "PING\\r\\n", "--expect", "lines:1"});
}

TEST(Protocols, OfAnHttpServer) {
    Process server({"python3", "-u", "-c", R"(
import http.server
class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Length", "5")
        self.end_headers()
        self.wfile.write(b"hello")
    def log_message(self, *arguments):
        pass
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(server.server_port)
server.serve_forever()
)"});
    loadForFiveSeconds({"127.0.0.1:" + server.readLine(), "--send",
                        "GET /{seq} HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n", "--expect",
                        "/HTTP.1\\.1 200 .*?\\r\\n\\r\\nhello/"});
}

TEST(Protocols, OfOpensslsReversingServer) {
    if (!isInstalled("openssl")) NIO_SKIP_OR_FAIL("no openssl");
    support::Authority authority("authority");
    const nio::TlsServerFiles files = authority.issue("server", {.names = "DNS:localhost"});
    Process server({"openssl", "s_server", "-accept", "127.0.0.1:0", "-rev", "-cert",
                    files.certificate, "-key", files.key});
    std::string line = server.readLine();
    while (!line.starts_with("ACCEPT 127.0.0.1:")) line = server.readLine();
    const std::string address = line.substr(7);
    // It serves one connection after the other.
    const json report = checked({address, "--tls", "--cacert", authority.file(), "--sni",
                                 "localhost", "--send", "abc\\n", "--expect", "cba\\n"},
                                "1");
    EXPECT_EQ(report["tls"], true);
    EXPECT_GT(report["handshakeMicroseconds"]["p50"], 0);
    EXPECT_EQ(report["sessionsResumed"], 0);
    loadForFiveSeconds({address, "--tls", "--insecure", "--send", "abc\\n", "--expect", "cba\\n"},
                       "1");
    const json resumed = checked({address, "--tls", "--insecure", "--resume", "--lifetime", "10msg",
                                  "--send", "abc\\n", "--expect", "cba\\n"},
                                 "1");
    EXPECT_GE(resumed["connections"]["made"], messages / 10);
    EXPECT_GT(resumed["sessionsResumed"], 0);
}

TEST(Protocols, OfAServerThatDemandsACertificate) {
    if (!isInstalled("openssl")) NIO_SKIP_OR_FAIL("no openssl");
    support::Authority authority("authority");
    const nio::TlsServerFiles files = authority.issue("server", {.names = "DNS:localhost"});
    const nio::TlsServerFiles mine = authority.issue("client", {.names = "DNS:client"});
    Process server({"openssl", "s_server", "-accept", "127.0.0.1:0", "-rev", "-cert",
                    files.certificate, "-key", files.key, "-Verify", "1", "-verify_return_error",
                    "-CAfile", authority.file()});
    std::string line = server.readLine();
    while (!line.starts_with("ACCEPT 127.0.0.1:")) line = server.readLine();
    const Arguments load{line.substr(7), "--tls",    "--insecure", "--send",
                         "abc\\n",       "--expect", "cba\\n"};
    Process stranger(client(load));
    EXPECT_EQ(stranger.wait(), 1) << "it has no certificate";
    checked(load + Arguments{"--cert", mine.certificate, "--key", mine.key}, "1");
}

TEST(Protocols, OfSocat) {
    if (!isInstalled("socat")) NIO_SKIP_OR_FAIL("no socat");
    const UnixServer socat([](const std::string& path) {
        return Arguments{"socat", "UNIX-LISTEN:" + path + ",fork", "EXEC:cat"};
    });
    loadForFiveSeconds({"--unix", socat.path()});
    checked({"--unix", socat.path(), "--send", "{random:100}\\n", "--expect", "{random:100}\\n"});
}

TEST(Protocols, OfNcat) {
    if (!isInstalled("ncat")) NIO_SKIP_OR_FAIL("no ncat");
    const UnixServer ncat([](const std::string& path) {
        return Arguments{"ncat",        "--listen", "--unixsock", path,
                         "--keep-open", "--exec",   "/bin/cat"};
    });
    loadForFiveSeconds({"--unix", ncat.path(), "--send", "hello {conn} {seq}\\n", "--expect",
                        "hello {conn} {seq}\\n"});
}

// It closes a connection that does not begin with HELLO.
TEST(Protocols, ConnectionsBeginAsTheServerWants) {
    OddServer server([](OddConnection& connection, nio::ByteView bytes) {
        nio::onDispatcher.assertCurrent();
        const std::string_view text = nio::asText(bytes);
        if (connection.calls > 1) return connection.send(bytes);
        text == "HELLO\n" ? connection.send(nio::asBytes("WELCOME\n")) : connection.abort();
    });
    const Arguments load{"127.0.0.1:" + server.port(),
                         "--send",
                         "{seq}\\n",
                         "--expect",
                         "{seq}\\n",
                         "--first-send",
                         "HELLO\\n",
                         "--first-expect"};
    checked(load + Arguments{"WELCOME\\n", "--lifetime", "10msg"});
    checked(load + Arguments{"lines:1", "--rate", "500"});
    Process wrong(client(load + Arguments{"GO AWAY"}));
    EXPECT_EQ(wrong.wait(), 3);
}

TEST(Protocols, WrongAnswersAreShownByteForByte) {
    OddServer server(echo);
    const std::string path = testing::TempDir() + "echo-client-wrong-" + server.port();
    Process run(client({"--port", server.port(), "--send", "PING\\r\\n", "--expect", "PONG\\r\\n",
                        "--keep-bad", path}));
    EXPECT_EQ(run.wait(), 3);
    EXPECT_THAT(run.errors(), HasSubstr("byte 1 is 0x49 instead of 0x4f"));
    std::ifstream file(path);
    EXPECT_THAT(std::string(std::istreambuf_iterator<char>(file), {}), HasSubstr("|PONG..|"));
    std::filesystem::remove(path);
}

// --- our own server with TLS ----------------------------------------------------------------

class EchoOverTls : public testing::TestWithParam<const char*> {};

TEST_P(EchoOverTls, IsCheckedLikeAnyOther) {
    support::Authority authority("authority");
    const nio::TlsServerFiles files = authority.issue("server", {.names = "DNS:localhost"});
    const EchoServerProcess server(
        {"--framing", GetParam(), "--tls-cert", files.certificate, "--tls-key", files.key});
    const Arguments target{
        "127.0.0.1:" + server.port(), "--framing", GetParam(), "--pipeline", "4", "--tls"};
    checked(target + Arguments{"--cacert", authority.file(), "--sni", "localhost"});
    checked(target + Arguments{"--insecure"});
    Process stranger(client(target + Arguments{"--sni", "localhost"}));
    EXPECT_EQ(stranger.wait(), 1) << "its certificate is of no authority of the system's";
}

TEST(EchoAtAnAbstractName, IsCheckedLikeAnyOther) {
    const std::string name = "@echo-client-test-" + std::to_string(::getpid());
    Process server({bin("echo-server"), "--unix", name, "--threads", "1"});
    EXPECT_THAT(server.readLine(), HasSubstr("listening on"));
    checked({"--unix", name});
}

INSTANTIATE_TEST_SUITE_P(Framings, EchoOverTls, testing::Values("raw", "lines"));

TEST(Tls, FilesThatAreOfNoUseAreAMistakeOfTheCommandLine) {
    for (const Arguments& mistake :
         {Arguments{bin("echo-client"), "--tls", "--cacert", "/no/such/file"},
          Arguments{bin("echo-server"), "--tls-cert", "/no/such", "--tls-key", "/no/such"},
          Arguments{bin("echo-client"), "--cacert", "x"},
          Arguments{bin("echo-server"), "--tls-cert", "x"},
          Arguments{bin("echo-client"), "--tls", "--cert", "x"}}) {
        Process run(mistake);
        EXPECT_EQ(run.wait(), 2) << mistake[1];
        EXPECT_THAT(run.errors(), testing::MatchesRegex("echo-(client|server): [^\n]+\n"));
    }
}

}  // namespace
