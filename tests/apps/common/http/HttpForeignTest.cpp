// Against HTTP clients that others wrote, where they are installed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <mutex>
#include <set>

#include <nio/group/SelectorThreadGroup.h>

#include "common/http/HttpServer.h"
#include "nio-tls/Certificates.h"
#include "support/Process.h"
#include "support/Required.h"

namespace {

using support::Process;
using testing::HasSubstr;

// "1\n2\n…"
std::string numbersTo(int most) {
    std::string lines;
    for (int i = 1; i <= most; ++i) lines += std::to_string(i) + "\n";
    return lines;
}

class HttpForeignTest : public testing::Test {
  protected:
    static bool isInstalled(const std::string& program) {
        return std::system((program + " --version >/dev/null 2>&1").c_str()) == 0;
    }
    // "/n/7" answers "7" and a line's end, "/body" the body.
    void start(std::shared_ptr<const nio::TlsContext> tls = nullptr) {
        apps::HttpRoutes routes;
        for (const char* const method : {"GET", "POST"}) {
            routes.add(method, "/n/{n}",
                       [this](const apps::HttpRequest& r, apps::HttpResponder to) {
                           note(to.connection());
                           to.answer(apps::HttpResponse::text(200, r.pathParameter("n") + "\n"));
                       });
        }
        routes.add("POST", "/body", [](const apps::HttpRequest& r, apps::HttpResponder to) {
            to.answer(apps::HttpResponse::text(200, r.body));
        });
        apps::HttpServerOptions options;
        if (tls != nullptr) options.tls = std::make_shared<nio::TlsSlot>(std::move(tls));
        server.emplace(
            apps::HttpServer::open(nio::SocketAddress::loopback4(0), std::move(routes), options)
                .orThrow());
        ASSERT_TRUE(server->start(group));
        group.start();
    }
    std::string port() const { return std::to_string(server->address().port()); }
    // What it prints.
    static std::string run(const std::vector<std::string>& command) {
        Process client(command);
        EXPECT_EQ(client.wait(), 0) << client.output() << client.errors();
        return client.output();
    }
    std::size_t connections() {
        const std::lock_guard lock(mutex);
        return slots.size();
    }

    std::mutex mutex;
    std::set<std::pair<const nio::SelectorThread*, std::uint32_t>> slots;
    nio::SelectorThreadGroup group{{.threads = 2}};
    std::optional<apps::HttpServer> server;

  private:
    void note(const nio::ChannelHandle& connection) {
        const std::lock_guard lock(mutex);
        slots.emplace(connection.dispatcher(), connection.slot());
    }
};

TEST_F(HttpForeignTest, CurlIsAnsweredOnOneConnection) {
    if (!isInstalled("curl")) NIO_SKIP_OR_FAIL("no curl");
    start();
    const std::string url = "http://127.0.0.1:" + port();
    EXPECT_EQ(run({"curl", "-qsS", url + "/n/[1-2000]"}), numbersTo(2000));
    EXPECT_EQ(connections(), 1U);
    EXPECT_EQ(run({"curl", "-qsS", "-d", "text=hello", url + "/n/[1-1000]"}), numbersTo(1000));
}

TEST_F(HttpForeignTest, CurlSendsABodyInEachWay) {
    if (!isInstalled("curl")) NIO_SKIP_OR_FAIL("no curl");
    start();
    const std::string url = "http://127.0.0.1:" + port() + "/body";
    const std::string body(50'000, 'b');
    for (const char* const header :
         {"X: y", "Transfer-Encoding: chunked", "Expect: 100-continue", "Connection: close"}) {
        EXPECT_EQ(run({"curl", "-qsS", "-H", header, "-d", body, url, url}), body + body) << header;
    }
}

TEST_F(HttpForeignTest, CurlReadsAnAnswerInGzip) {
    if (!isInstalled("curl")) NIO_SKIP_OR_FAIL("no curl");
    start();
    const std::string url = "http://127.0.0.1:" + port() + "/body";
    const std::string answer =
        run({"curl", "-qsS", "--compressed", "-D", "-", "-d", numbersTo(2000), url});
    EXPECT_THAT(answer, HasSubstr("\r\nContent-Encoding: gzip\r\n"));
    EXPECT_THAT(answer, testing::EndsWith("\r\n\r\n" + numbersTo(2000)));
}

TEST_F(HttpForeignTest, CurlIsAnsweredOverTls) {
    if (!isInstalled("curl")) NIO_SKIP_OR_FAIL("no curl");
    support::Authority authority{"authority"};
    start(nio::TlsContext::server(authority.issue("server", {"DNS:localhost"})).orThrow());
    EXPECT_EQ(run({"curl", "-qsS", "--cacert", authority.file(), "--resolve",
                   "localhost:" + port() + ":127.0.0.1", "-d", "text=hello",
                   "https://localhost:" + port() + "/n/[1-1000]"}),
              numbersTo(1000));
    EXPECT_EQ(connections(), 1U);
}

TEST_F(HttpForeignTest, H2loadIsAnsweredWhilePipelining) {
    if (!isInstalled("h2load")) NIO_SKIP_OR_FAIL("no h2load");
    start();
    for (const char* const atOnce : {"1", "16"}) {
        const std::string report = run({"h2load", "--h1", "-n", "4000", "-c", "8", "-m", atOnce,
                                        "http://127.0.0.1:" + port() + "/n/1"});
        EXPECT_THAT(report, HasSubstr(" 4000 succeeded, 0 failed, 0 errored, 0 timeout"));
        EXPECT_THAT(report, HasSubstr("4000 2xx, 0 3xx, 0 4xx, 0 5xx"));
    }
}

TEST_F(HttpForeignTest, PythonIsAnsweredInOrder) {
    if (!isInstalled("python3")) NIO_SKIP_OR_FAIL("no python3");
    start();
    const char* const script = R"(
import http.client, socket, sys
port = int(sys.argv[1])
connection = http.client.HTTPConnection("127.0.0.1", port)
for i in range(1, 1001):
    connection.request("POST", "/n/%d" % i, b"text=hello", {"X-Some": "thing"})
    print(connection.getresponse().read().decode(), end="")
pipe = socket.create_connection(("127.0.0.1", port))
pipe.sendall(b"".join(b"GET /n/%d HTTP/1.1\r\nHost: h\r\n\r\n" % i for i in range(1001, 2001)))
answers = pipe.makefile("rb")
for i in range(1001, 2001):
    assert answers.readline() == b"HTTP/1.1 200 OK\r\n"
    length = int(http.client.parse_headers(answers)["Content-Length"])
    print(answers.read(length).decode(), end="")
)";
    EXPECT_EQ(run({"python3", "-c", script, port()}), numbersTo(2000));
    EXPECT_EQ(connections(), 2U);
}

}  // namespace
