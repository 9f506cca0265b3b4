// Requests that wait before anything looks at them (HttpRoutes::delayBy).
#include <gtest/gtest.h>

#include "common/http/HttpServer.h"
#include "support/TestClient.h"
#include "support/TestDispatcher.h"
#include "support/TurnUntil.h"

namespace {

using apps::HttpRequest;
using apps::HttpResponder;
using apps::HttpResponse;
using support::TestClient;

class HttpDelayTest : public testing::Test {
  protected:
    void start(const apps::HttpServerOptions& options = {}) {
        apps::HttpRoutes routes;
        routes.delayBy([this](const HttpRequest&) { return delay; });
        routes.add("GET", "/now", [](const HttpRequest& r, HttpResponder to) {
            to.answer(HttpResponse::text(200, "[" + r.query + "]"));
        });
        server = std::make_unique<apps::HttpServer>(
            apps::HttpServer::open(nio::SocketAddress::loopback4(0), std::move(routes), options)
                .orThrow());
        ASSERT_TRUE(server->start(*dispatcher));
    }
    bool until(const std::function<bool()>& done, std::initializer_list<TestClient*> clients) {
        return support::turnUntil(*dispatcher, [&] {
            for (TestClient* client : clients) client->pump();
            return done();
        });
    }
    static std::string request(const std::string& query) {
        return "GET /now?" + query + " HTTP/1.1\r\nHost: h\r\n\r\n";
    }
    static bool has(const TestClient& client, const std::string& text) {
        return client.received().find(text) != std::string::npos;
    }

    std::optional<std::chrono::milliseconds> delay = std::chrono::milliseconds(0);
    support::TestDispatcher dispatcher;
    std::unique_ptr<apps::HttpServer> server;
};

TEST_F(HttpDelayTest, ARequestIsServedLater) {
    start();
    delay = std::chrono::milliseconds(1);
    TestClient client(server->address());
    client.send(request("1") + request("2"));
    EXPECT_TRUE(until([&] { return has(client, "[1]") && has(client, "[2]"); }, {&client}));
}

TEST_F(HttpDelayTest, ARequestThatMayNotWaitIsRefused) {
    start();
    delay.reset();
    TestClient client(server->address());
    client.send(request("1"));
    EXPECT_TRUE(until([&] { return has(client, "HTTP/1.1 429 "); }, {&client}));
    delay = std::chrono::milliseconds(0);
    client.send(request("2"));
    EXPECT_TRUE(until([&] { return has(client, "[2]"); }, {&client}));
    EXPECT_FALSE(has(client, "[1]"));
}

TEST_F(HttpDelayTest, ARequestThatWaitsMakesRoom) {
    apps::HttpServerOptions options;
    options.maxConnections = 2;
    start(options);
    delay = std::chrono::hours(1);
    TestClient delayed(server->address());
    delayed.send(request("1"));
    ASSERT_TRUE(until([&] { return dispatcher->connectionCount() == 1; }, {&delayed}));
    dispatcher.turns(5);
    delay = std::chrono::milliseconds(0);
    TestClient newcomer(server->address());
    ASSERT_TRUE(until([&] { return delayed.hasEnded(); }, {&delayed, &newcomer}));
    newcomer.send(request("2"));
    EXPECT_TRUE(until([&] { return has(newcomer, "[2]"); }, {&newcomer}));
}

}  // namespace
