// Routes to connectors whose binds are being made anew: what comes waits for them.
#include "sms_router/routing/Router.h"

#include <atomic>
#include <thread>

#include "RoutingTesting.h"

namespace router {
namespace {

using namespace router::routingtest;

class RouterBindsTest : public ::testing::Test {
  protected:
    RouterBindsTest() {
        for (const char* name : {"a", "b", "c"}) plan_.connector(name);
        setLive(board_, {0, 1, 2});
    }

    RouteConfig& routeTo(std::size_t connector) {
        RouteConfig& route = plan_.route("r");
        route.connector = connector;
        return route;
    }
    void groupRoute(Balance balance, std::vector<std::vector<std::size_t>> tiers) {
        plan_.route("pool").group = plan_.group(balance, std::move(tiers));
    }

    Plan plan_;
    ConnectorBoard board_{3};
};

TEST_F(RouterBindsTest, WaitsForARebindOnlyIfNoOtherBindIsLive) {
    routeTo(0).destinations = {pattern("1*")};
    groupRoute(Balance::roundRobin, {{1, 0}, {2}});
    setLive(board_, {2});
    board_[0].takes = true;
    Router router(plan_.shared(), board_);
    EXPECT_EQ(router.route(to("1")).connector, 0u);
    EXPECT_EQ(router.route(to("2")).connector, 2u);
    EXPECT_EQ(router.route(partTo("2", 7)).connector, 2u);
    setLive(board_, {});
    EXPECT_EQ(router.route(to("2")).connector, 0u);
    EXPECT_EQ(router.route(partTo("2", 8)).connector, 0u);
    std::vector<std::string> why;
    router.route(to("1"), &why);
    EXPECT_EQ(why.back(), "connector \"a\": its binds are reconnecting; the message waits");
}

TEST_F(RouterBindsTest, RefusesNothingWhileBindsChangeThreads) {
    routeTo(0).destinations = {pattern("1*")};
    groupRoute(Balance::roundRobin, {{0}});
    setLive(board_, {});
    board_[0].put(true, true);
    std::atomic<bool> isOver{false};
    std::thread connector([&] {
        for (bool live = false; !isOver; live = !live) board_[0].put(live, true);
    });
    Router router(plan_.shared(), board_);
    std::size_t refused = 0;
    for (int i = 0; i < 100'000; ++i)
        for (const char* destination : {"1", "2"})
            if (!router.route(to(destination)).connector) ++refused;
    isOver = true;
    connector.join();
    EXPECT_EQ(refused, 0u);
}

TEST_F(RouterBindsTest, KeepsPartsTogetherWhileTheyWaitForBinds) {
    groupRoute(Balance::roundRobin, {{0, 1, 2}});
    setLive(board_, {});
    board_[1].put(false, true);
    Router router(plan_.shared(), board_);
    for (std::uint8_t message = 0; message < 20; ++message)
        EXPECT_EQ(router.route(partTo("1", message)).connector, 1u);
    setLive(board_, {0, 1, 2});
    for (std::uint8_t message = 0; message < 20; ++message)
        EXPECT_EQ(router.route(partTo("1", message)).connector, 1u);
    board_[1].put(false, true);
    for (std::uint8_t message = 0; message < 20; ++message)
        EXPECT_EQ(router.route(partTo("1", message)).connector, 1u);
    board_[1].put(false, false);
    EXPECT_NE(router.route(partTo("1", 0)).connector, 1u);
}

}  // namespace
}  // namespace router
