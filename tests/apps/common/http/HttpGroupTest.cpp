// A server whose connections are dealt out to the dispatchers of a group.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <list>

#include <nio/group/SelectorThreadGroup.h>

#include "common/http/HttpServer.h"
#include "support/PumpUntil.h"
#include "support/TestClient.h"

namespace {

using support::TestClient;

class HttpGroupTest : public testing::Test {
  protected:
    static apps::HttpRoutes routes() {
        apps::HttpRoutes routes;
        routes.add("GET", "/where", [](const apps::HttpRequest&, apps::HttpResponder to) {
            nio::SelectorThread* const thread = to.connection().dispatcher();
            to.answer(apps::HttpResponse::text(thread->isCurrent() ? 200 : 500, thread->name()));
        });
        return routes;
    }
    static nio::SelectorThreadGroupOptions two() {
        nio::SelectorThreadGroupOptions options;
        options.threads = 2;
        options.thread.name = "door";
        return options;
    }

    void SetUp() override {
        ASSERT_TRUE(server.start(group));
        group.start();
    }
    // The body of the answer to one more request.
    static std::string whereIs(TestClient& client) {
        const std::size_t before = client.received().size();
        client.send("GET /where HTTP/1.1\r\nHost: h\r\n\r\n");
        EXPECT_TRUE(support::pumpUntil({&client}, [&] {
            return client.hasEnded() ||
                   client.received().find("door-", before) != std::string::npos;
        }));
        const std::string& all = client.received();
        EXPECT_EQ(all.compare(before, 15, "HTTP/1.1 200 OK"), 0) << all;
        return all.substr(std::min(all.rfind('\n') + 1, all.size()));
    }

    nio::SelectorThreadGroup group{two()};
    apps::HttpServer server =
        apps::HttpServer::open(nio::SocketAddress::loopback4(0), routes()).orThrow();
};

TEST_F(HttpGroupTest, ConnectionsAreDealtOutInTurn) {
    std::list<TestClient> clients;
    std::vector<std::string> places;
    for (int i = 0; i < 4; ++i) places.push_back(whereIs(clients.emplace_back(server.address())));
    EXPECT_THAT(places, testing::ElementsAre("door-1", "door-2", "door-1", "door-2"));
    EXPECT_EQ(whereIs(clients.back()), "door-2") << "a connection stays where it is";
}

TEST_F(HttpGroupTest, CloseKeepsWhatIsConnected) {
    TestClient client(server.address());
    const std::string place = whereIs(client);
    server.close();
    // The task of close() has run behind this.
    ASSERT_TRUE(group[0].invokeAndWait([] {}).ok());
    EXPECT_THROW(TestClient{server.address()}, std::system_error);
    EXPECT_EQ(whereIs(client), place);
    server.close();
}

TEST(HttpServerClose, BeforeTheStartFreesThePort) {
    apps::HttpServer server =
        apps::HttpServer::open(nio::SocketAddress::loopback4(0), {}).orThrow();
    server.close();
    EXPECT_THROW(TestClient{server.address()}, std::system_error);
    nio::SelectorThread thread;
    EXPECT_FALSE(server.start(thread));
}

TEST(HttpServerClose, AfterItsDispatcherIsWithoutEffect) {
    apps::HttpServer server =
        apps::HttpServer::open(nio::SocketAddress::loopback4(0), {}).orThrow();
    {
        nio::SelectorThread thread;
        ASSERT_TRUE(server.start(thread));
    }
    server.close();
}

}  // namespace
