// The programs of docs/embedding.md and docs/echo-by-hand.md at work.
#include <gtest/gtest.h>

#include <csignal>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <nio/sys/SocketAddress.h>

#if __has_include(<zlib.h>)
#include <zlib.h>
#endif
#if __has_include(<openssl/ssl.h>)
#include <nio-tls/Tls.h>
#include <nio/codec/LineDecoder.h>
#include <nio/net/Client.h>

#include "nio-tls/Certificates.h"
#endif

#include "support/BareListener.h"
#include "support/Process.h"
#include "support/PumpUntil.h"
#include "support/TestClient.h"

namespace {

using support::Process;
using support::pumpUntil;
using support::TestClient;

std::string example(const std::string& name) {
    return support::bin("examples/" + name);
}

// A server that has said where it listens.
class Serving {
  public:
    explicit Serving(const std::string& name, const std::vector<std::string>& more = {})
        : process_(command(name, more)), address_(process_.readLine().substr(intro.size())) {}

    const std::string& address() const { return address_; }
    TestClient connect(const support::TestClientOptions& options = {}) const {
        return TestClient(nio::SocketAddress::parse(address_).orThrow(), options);
    }
    int stop() {
        process_.signal(SIGTERM);
        return process_.wait();
    }
    std::string errors() const { return process_.errors(); }

  private:
    static constexpr std::string_view intro = "listening on ";

    static std::vector<std::string> command(const std::string& name,
                                            const std::vector<std::string>& more) {
        std::vector<std::string> all{example(name), "127.0.0.1:0"};
        all.insert(all.end(), more.begin(), more.end());
        return all;
    }

    Process process_;
    std::string address_;
};

std::string manyLines() {
    std::string text;
    for (int i = 0; i < 200'000; ++i) text += "line " + std::to_string(i) + '\n';
    return text;
}

// More than the kernel holds waits in the program while the client reads nothing.
void expectAllComesBack(const Serving& server) {
    TestClient client = server.connect({.receiveBufferBytes = 16384, .sendBufferBytes = 16384});
    const std::string all = manyLines();
    client.send(all);
    client.finish();
    client.stopReading();
    std::size_t sent = 0;
    for (int idle = 0; idle < 1000; ++idle) {
        client.pump();
        if (client.sentBytes() != std::exchange(sent, client.sentBytes())) idle = 0;
    }
    client.goOnReading();
    EXPECT_TRUE(pumpUntil({&client}, [&] { return client.hasEnded(); }));
    EXPECT_EQ(client.end(), TestClient::End::finished);
    EXPECT_TRUE(client.received() == all) << client.received().size() << " of " << all.size();
}

class EchoExample : public testing::TestWithParam<const char*> {};

TEST_P(EchoExample, SendsEveryLineBack) {
    Serving server(GetParam());
    expectAllComesBack(server);
    EXPECT_EQ(server.stop(), 0);
}

TEST_P(EchoExample, NamesAnAddressInUseAndExitsWithOne) {
    Serving first(GetParam());
    Process second({example(GetParam()), first.address()});
    EXPECT_EQ(second.wait(), 1);
    EXPECT_EQ(second.errors(),
              std::string(GetParam()) + ": bind " + first.address() + ": Address already in use\n");
}

TEST_P(EchoExample, NamesABadAddressAndExitsWithOne) {
    Process server({example(GetParam()), "nonsense"});
    EXPECT_EQ(server.wait(), 1);
    EXPECT_EQ(server.errors(), std::string(GetParam()) + ": 'nonsense': not an address\n");
}

constexpr auto exampleName = [](const auto& each) { return std::string(each.param); };

INSTANTIATE_TEST_SUITE_P(Each, EchoExample,
                         testing::Values("echo_server", "echo_by_hand", "coroutine_echo"),
                         exampleName);
#if __has_include(<uv.h>)
INSTANTIATE_TEST_SUITE_P(InLibuv, EchoExample, testing::Values("in_libuv"), exampleName);
#endif

TEST(AskExample, PrintsTheAnswer) {
    Serving server("echo_server");
    Process ask({example("ask"), server.address()});
    EXPECT_EQ(ask.wait(), 0);
    EXPECT_EQ(ask.output(), "hello\n");
}

TEST(AskExample, SaysWhyThereIsNoConnection) {
    const support::DeadPort dead;
    Process ask({example("ask"), dead.address.toString()});
    EXPECT_EQ(ask.wait(), 1);
    EXPECT_EQ(ask.errors(),
              "ask: connect to " + dead.address.toString() + ": Connection refused\n");
}

TEST(JsonExample, AnswersEachRequestAndEndsWithAMistake) {
    Serving server("json_lines");
    TestClient client = server.connect();
    client.send("{\"id\": 1, \"numbers\": [1, 2.5]}\n{\"id\": 2}\n");
    EXPECT_TRUE(pumpUntil({&client}, [&] { return client.hasEnded(); }));
    EXPECT_EQ(client.received(), "{\"id\":1,\"sum\":3.5}\n");
    EXPECT_EQ(client.end(), TestClient::End::finished);
}

#if __has_include(<zlib.h>)
// One member of gzip each way, as the tool makes them.
std::string packed(const std::string& text) {
    z_stream stream{};
    EXPECT_EQ(deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 15 + 16, 8, 0), Z_OK);
    std::string bytes(compressBound(static_cast<uLong>(text.size())) + 100, '\0');
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
    stream.avail_in = static_cast<uInt>(text.size());
    stream.next_out = reinterpret_cast<Bytef*>(bytes.data());
    stream.avail_out = static_cast<uInt>(bytes.size());
    EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
    bytes.resize(stream.total_out);
    deflateEnd(&stream);
    return bytes;
}

std::string unpacked(const std::string& bytes, std::size_t size) {
    z_stream stream{};
    EXPECT_EQ(inflateInit2(&stream, 15 + 16), Z_OK);
    std::string text(size, '\0');
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    stream.avail_in = static_cast<uInt>(bytes.size());
    stream.next_out = reinterpret_cast<Bytef*>(text.data());
    stream.avail_out = static_cast<uInt>(text.size());
    (void)inflate(&stream, Z_SYNC_FLUSH);
    text.resize(stream.total_out);
    inflateEnd(&stream);
    return text;
}

TEST(GzipExample, SendsCompressedLinesBackCompressed) {
    Serving server("gzip_echo");
    TestClient client = server.connect();
    std::string lines;
    for (int i = 0; i < 20'000; ++i) lines += "line " + std::to_string(i) + '\n';
    client.send(packed(lines) + packed("another member\n"));
    client.finish();
    lines += "another member\n";
    EXPECT_TRUE(pumpUntil({&client}, [&] { return client.hasEnded(); }));
    EXPECT_TRUE(unpacked(client.received(), lines.size() + 1) == lines);
}

TEST(GzipExample, EndsAConnectionThatIsNotCompressed) {
    Serving server("gzip_echo");
    TestClient client = server.connect();
    client.send("plain\n");
    EXPECT_TRUE(pumpUntil({&client}, [&] { return client.hasEnded(); }));
    EXPECT_EQ(client.received(), "");
}
#endif

#if __has_include(<openssl/ssl.h>)
struct AsksOnce {
    std::string* answer;

    void opened(auto& server) { server.send("hello"); }
    void read(auto& server, std::string_view line) {
        *answer = line;
        server.closeAfterFlush();
    }
};

TEST(TlsExample, SendsLinesBackOverTls) {
    support::Authority authority("authority");
    const nio::TlsServerFiles files = authority.issue("server", {.names = "DNS:localhost"});
    Serving server("tls_echo", {files.certificate, files.key});
    std::string answer;
    const auto trust = nio::TlsContext::client({.authority = authority.file()}).orThrow();
    nio::SelectorThread dispatcher;
    nio::Client client(dispatcher, server.address(), nio::tls(trust, "localhost"), nio::lines(),
                       AsksOnce{&answer});
    EXPECT_TRUE(client.run().ok());
    EXPECT_EQ(answer, "hello");
    EXPECT_EQ(server.stop(), 0);
}
#endif

TEST(LookUpExample, AnswersWithTheHomeDirectory) {
    Serving server("look_up");
    TestClient client = server.connect();
    client.send("root\nnobody-of-this-name\n");
    EXPECT_TRUE(pumpUntil(
        {&client}, [&] { return client.received().find("no such user\n") != std::string::npos; }));
    EXPECT_EQ(client.received(), "/root\nno such user\n");
    client.finish();
    EXPECT_EQ(server.stop(), 0);
    EXPECT_EQ(server.errors(), "");
}

TEST(ChatExample, EachLineReachesEveryClient) {
    Serving server("chat");
    std::vector<TestClient> clients;
    std::vector<TestClient*> all;
    for (int i = 0; i < 8; ++i) clients.push_back(server.connect());
    for (TestClient& each : clients) all.push_back(&each);
    const auto hears = [&](const TestClient& client, const std::string& line) {
        return pumpUntil(all, [&] { return client.received().find(line) != std::string::npos; });
    };
    // The server knows a client whose own line has come back.
    for (TestClient& each : clients) {
        each.send("here\n");
        ASSERT_TRUE(hears(each, "here\n"));
    }
    clients[2].send("hello\n");
    for (TestClient& each : clients) EXPECT_TRUE(hears(each, "hello\n"));
    // One that has left is no slow one, even before the server has met its end.
    for (int left = 1; left < 7; ++left) {
        const std::string line = "without " + std::to_string(left) + '\n';
        clients[left].reset();
        clients[0].send(line);
        EXPECT_TRUE(hears(clients[7], line));
    }
    EXPECT_EQ(server.stop(), 0);
    EXPECT_EQ(server.errors(), "");
}

TEST(ChatExample, ALineThatEndsInCrDisconnectsNobody) {
    Serving server("chat");
    TestClient client = server.connect();
    client.send("x\r\r\nbye\n");
    EXPECT_TRUE(pumpUntil({&client}, [&] { return client.received() == "x\nbye\n"; }));
    EXPECT_EQ(server.stop(), 0);
    EXPECT_EQ(server.errors(), "");
}

TEST(ProxyExample, RelaysWithBackpressureAndHalfClose) {
    Serving upstream("echo_server");
    Serving proxy("proxy", {upstream.address()});
    expectAllComesBack(proxy);
    EXPECT_EQ(proxy.stop(), 0);
}

TEST(ProxyExample, ResetsTheClientWhereThereIsNoServer) {
    const support::DeadPort dead;
    Serving proxy("proxy", {dead.address.toString()});
    TestClient client = proxy.connect();
    EXPECT_TRUE(pumpUntil({&client}, [&] { return client.hasEnded(); }));
    EXPECT_EQ(client.end(), TestClient::End::reset);
    EXPECT_EQ(proxy.stop(), 0);
    EXPECT_EQ(proxy.errors(),
              "proxy: connect to " + dead.address.toString() + ": Connection refused\n");
}

TEST(ProcessesExample, AllServeOnePortAndEndTogether) {
    // Keeps the port, and accepts nothing.
    nio::UniqueFd port = nio::kernel::openStreamSocket(nio::SocketAddress::Family::ipv4).orThrow();
    nio::kernel::setReusePort(port.get(), true).orThrow();
    nio::kernel::bind(port.get(), nio::SocketAddress::loopback4(0)).orThrow();
    const nio::SocketAddress address = nio::kernel::localAddress(port.get()).orThrow();
    Process first({example("processes"), address.toString(), "3"});
    std::set<std::string> names;
    for (int i = 0; i < 3; ++i) {
        const std::string line = first.readLine();
        const std::size_t end = line.find(' ');
        EXPECT_EQ(line.substr(end), " listening on " + address.toString());
        names.insert(line.substr(0, end));
    }
    EXPECT_EQ(names.size(), 3u);
    std::set<std::string> heard;
    for (bool answers = true; answers && heard != names;) {
        TestClient client(address);
        client.send("who\n");
        answers = pumpUntil({&client}, [&] { return client.received().ends_with('\n'); });
        heard.insert(client.received().substr(0, client.received().find(':')));
    }
    EXPECT_EQ(heard, names) << "the kernel deals to all of them";
    first.signal(SIGTERM);
    EXPECT_EQ(first.wait(), 0);
    EXPECT_THROW(TestClient{address}, std::system_error) << "none is left";
}

TEST(WatchExample, CountsItsInputUntilItEnds) {
    Process counting({"sh", "-c", "printf 'one\\ntwo\\n' | " + example("watch_input")});
    EXPECT_EQ(counting.readLine(), "8 bytes, 2 lines");
    EXPECT_EQ(counting.wait(), 0);
}

TEST(WatchExample, FailsWithInputThatCannotBeWatched) {
    Process counting(
        {"sh", "-c", "NIO_SELECTOR=epoll " + example("watch_input") + " </etc/passwd"});
    EXPECT_EQ(counting.wait(), 1);
    EXPECT_EQ(counting.errors(),
              "nio: error: watch of descriptor 0: epoll_ctl add: Operation not permitted\n");
}

}  // namespace
