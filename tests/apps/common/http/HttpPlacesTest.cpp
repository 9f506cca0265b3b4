// Whose connection makes way where all places of an HTTP server are taken.
#include <gtest/gtest.h>

#include <list>

#include "common/http/HttpServer.h"
#include "support/TestClient.h"
#include "support/TestDispatcher.h"
#include "support/TurnUntil.h"

namespace {

using support::TestClient;

const std::string askNow = "GET /now HTTP/1.1\r\nHost: h\r\n\r\n";

TEST(HttpPlaces, ASourceWithManyEvictsNoOther) {
    support::TestDispatcher dispatcher;
    apps::HttpRoutes routes;
    routes.add("GET", "/now", [](const apps::HttpRequest&, apps::HttpResponder to) {
        to.answer(apps::HttpResponse::text(200, "now"));
    });
    apps::HttpServerOptions options;
    options.maxConnections = 3;
    apps::HttpServer server =
        apps::HttpServer::open(nio::SocketAddress::loopback4(0), std::move(routes), options)
            .orThrow();
    ASSERT_TRUE(server.start(*dispatcher));
    const auto isServed = [&](TestClient& client) {
        client.send(askNow);
        return support::turnUntil(*dispatcher, [&] {
            client.pump();
            return client.received().ends_with("now");
        });
    };

    TestClient oldest(server.address());
    ASSERT_TRUE(
        support::turnUntil(*dispatcher, [&] { return dispatcher->connectionCount() == 1; }));
    support::TestClientOptions elsewhere;
    elsewhere.source = nio::SocketAddress::numeric("127.0.0.2", 0).orThrow();
    std::list<TestClient> strangers;
    for (int i = 0; i < 6; ++i) {
        ASSERT_TRUE(isServed(strangers.emplace_back(server.address(), elsewhere)));
    }
    EXPECT_TRUE(isServed(oldest));
    EXPECT_FALSE(oldest.hasEnded());
}

}  // namespace
