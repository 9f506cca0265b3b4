// What a call connects to, and what it sends.
#include <gmock/gmock.h>

#include <set>

#include "apps/common/http/HttpClientTesting.h"
#include "apps/sms_router/admin/HttpsHook.h"
#include "common/http/HttpServer.h"
#include "nio-tls/Certificates.h"
#include "support/NoDescriptorLeft.h"

namespace {

using namespace std::chrono_literals;
using apps::HttpCall;
using apps::HttpRequest;
using apps::HttpResponder;
using apps::HttpResponse;
using httptest::ScriptedServer;
using testing::HasSubstr;

class HttpClientCallTest : public httptest::HttpClientTest {
  protected:
    // "/seen" remembers the request; "/later" answers when the test says.
    void serve() {
        apps::HttpRoutes routes;
        for (const char* const method : {"GET", "POST", "PUT", "DELETE"}) {
            routes.add(method, "/seen", [this](const HttpRequest& request, HttpResponder to) {
                seen = request;
                to.answer(HttpResponse::text(200, "the answer"));
            });
        }
        routes.add("GET", "/later", [this](const HttpRequest& request, HttpResponder to) {
            peers.insert(request.peer.toString());
            waiting.push_back(std::move(to));
        });
        auto opened =
            apps::HttpServer::open(nio::SocketAddress::loopback4(0), std::move(routes)).orThrow();
        address = opened.address();
        ASSERT_TRUE(opened.start(*dispatcher));
    }
    std::string url(const std::string& path) const { return "http://" + address.toString() + path; }

    nio::SocketAddress address;
    HttpRequest seen;
    std::vector<HttpResponder> waiting;
    std::set<std::string> peers;
};

TEST_F(HttpClientCallTest, HasAMethodHeadersAndABody) {
    start();
    serve();
    HttpCall what{.method = "POST", .url = url("/seen"), .body = std::string("{\0}", 3)};
    what.headers = {{"Content-Type", "application/json"}, {"X-A", "b c"}, {"X-None", ""}};
    EXPECT_EQ(get(what).value().body, "the answer");
    EXPECT_EQ(seen.method, "POST");
    EXPECT_EQ(seen.body, what.body);
    EXPECT_EQ(seen.header("content-type"), "application/json");
    EXPECT_EQ(seen.header("x-a"), "b c");
    EXPECT_TRUE(seen.hasHeader("x-none"));
}

TEST_F(HttpClientCallTest, HasNoHeaderThatIsNotAskedFor) {
    start();
    serve();
    for (const char* const method : {"POST", "PUT", "DELETE", "GET"}) {
        EXPECT_EQ(get(HttpCall{.method = method, .url = url("/seen")}).value().status, 200);
        EXPECT_EQ(seen.method, method);
        EXPECT_EQ(seen.body, "");
        for (const char* const name : {"content-type", "expect", "user-agent", "cookie"}) {
            EXPECT_FALSE(seen.hasHeader(name)) << name;
        }
    }
    EXPECT_EQ(get(HttpCall{.method = "HEAD", .url = url("/seen")}).value().body, "");
    EXPECT_EQ(seen.method, "HEAD");
}

TEST_F(HttpClientCallTest, OfManyWaitsForOneOfFewConnections) {
    constexpr std::size_t all = 200;
    constexpr std::size_t few = 5;
    start({.maxConnections = few, .maxConnectionsPerHost = all});
    serve();
    for (std::size_t i = 0; i < all; ++i) call(url("/later"));
    while (answers.size() < all) {
        const std::size_t expected = std::min(few, all - answers.size());
        ASSERT_TRUE(until([&] { return waiting.size() >= expected; }));
        dispatcher.turns(3);
        ASSERT_EQ(waiting.size(), expected);
        const std::size_t after = answers.size() + expected;
        for (HttpResponder& each : waiting) each.answer(HttpResponse::text(200, ""));
        waiting.clear();
        ASSERT_TRUE(until([&] { return answers.size() == after; }));
    }
    for (const auto& [id, answer] : answers) EXPECT_TRUE(answer) << reasonOf(answer);
    EXPECT_EQ(peers.size(), few) << "they are used again";
}

TEST_F(HttpClientCallTest, WaitsNoLongerThanItsTimeLimit) {
    start({.maxConnectionsPerHost = 1});
    serve();
    call(url("/later"));
    ASSERT_TRUE(until([&] { return waiting.size() == 1; }));
    EXPECT_EQ(reasonOf(get(HttpCall{.url = url("/later"), .timeLimit = 20ms})),
              "no answer in 20 ms");
    EXPECT_EQ(waiting.size(), 1u) << "it has had no connection";
}

TEST_F(HttpClientCallTest, SaysWhyThereIsNoConnection) {
    start();
    const support::DeadPort nothing;
    const Answer answer = get("http://" + nothing.address.toString() + "/secret");
    EXPECT_EQ(reasonOf(answer), "cannot connect: Connection refused");
    EXPECT_TRUE(answer.error().is(std::errc::connection_refused));
}

// None for the socket, and one for the socket but none for its watch.
TEST_F(HttpClientCallTest, SaysThatThereIsNoDescriptor) {
    start();
    const ScriptedServer server;
    for (const bool hasSocket : {false, true}) {
        std::optional<nio::UniqueFd> spare;
        if (hasSocket) spare = nio::kernel::openReserve().orThrow();
        const support::NoDescriptorLeft none;
        spare.reset();
        const Answer answer = get(server.url());
        EXPECT_THAT(reasonOf(answer), HasSubstr("Too many open files")) << hasSocket;
        EXPECT_TRUE(answer.error().is(std::errc::too_many_files_open));
    }
    const Answer answer = get(HttpCall{.url = server.url(), .timeLimit = 20ms});
    EXPECT_EQ(reasonOf(answer), "no answer in 20 ms") << "it has a descriptor again";
}

TEST_F(HttpClientCallTest, SaysWhatIsWrongWithItsUrl) {
    start();
    for (const char* const text : {"", "a", "http://", "http://a:b/", "http://[::1/"}) {
        const Answer answer = get(std::string(text));
        EXPECT_TRUE(answer.error().is(std::errc::invalid_argument)) << text;
    }
    for (const char* const text : {"ftp://a/", "file:///etc/passwd", "gopher://a/"}) {
        EXPECT_FALSE(get(std::string(text))) << text;
    }
}

class HttpClientPrivacyTest : public httptest::HttpClientTest {
  protected:
    HttpClientPrivacyTest() { client = std::make_unique<apps::HttpClient>(*dispatcher, resolver); }

    ScriptedServer server;
};

TEST_F(HttpClientPrivacyTest, RefusesAPrivateAddress) {
    const Answer answer = get(server.url());
    EXPECT_EQ(reasonOf(answer), "127.0.0.1 has a private address");
    EXPECT_TRUE(answer.error().is(std::errc::permission_denied));
    EXPECT_EQ(reasonOf(get("http://[::ffff:127.0.0.1]:1/")),
              "::ffff:127.0.0.1 has a private address");
    EXPECT_FALSE(server.hasConnection());
}

TEST_F(HttpClientPrivacyTest, RefusesANameThatLeadsToOne) {
    const std::string port = server.url().substr(server.url().rfind(':'));
    EXPECT_EQ(reasonOf(get("http://localhost" + port)), "localhost has a private address");
    EXPECT_EQ(reasonOf(get("http://LOCALHOST" + port)), "LOCALHOST has a private address");
    EXPECT_FALSE(server.hasConnection());
}

class HttpClientTlsTest : public httptest::HttpClientTest {
  protected:
    void startTrusting(const support::Authority& trusted) { start({.authority = trusted.file()}); }

    support::Authority authority{"authority"};
};

TEST_F(HttpClientTlsTest, CallsTheHostItAsksFor) {
    nio::TlsServerFiles files = authority.issue("usual", {.names = "DNS:usual.example"});
    const nio::TlsServerFiles local = authority.issue("local", {.names = "DNS:localhost"});
    files.byName = {{local.certificate, local.key}};
    routertest::HttpsHook https(files);
    startTrusting(authority);
    for (int i = 0; i < 2; ++i) EXPECT_EQ(get(https.url("localhost")).value().status, 204);
}

TEST_F(HttpClientTlsTest, TrustsNoOtherAuthority) {
    support::Authority other("other");
    const routertest::HttpsHook https(other.issue("hook", {.names = "IP:127.0.0.1"}));
    startTrusting(authority);
    const Answer answer = get(https.url());
    EXPECT_THAT(reasonOf(answer), HasSubstr("TLS: SSL certificate problem"));
    EXPECT_TRUE(answer.error().is(nio::Errc::encodingFailed));
}

TEST_F(HttpClientTlsTest, WantsTheNameOfTheHost) {
    const routertest::HttpsHook https(authority.issue("hook", {.names = "DNS:other.example"}));
    startTrusting(authority);
    const Answer answer = get(https.url("localhost"));
    EXPECT_THAT(reasonOf(answer), HasSubstr("target host name 'localhost'"));
    EXPECT_TRUE(answer.error().is(nio::Errc::encodingFailed));
}

}  // namespace
