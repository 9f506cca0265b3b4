#include "sms_router/routing/Shard.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "apps/sms_router/routing/RoutingTesting.h"
#include "sms_router/ingress/PasswordDesk.h"
#include "sms_router/session/LoginThrottle.h"
#include "support/TestDispatcher.h"

namespace router {
namespace {

StoreConfig inMemory() {
    StoreConfig config;
    config.durability = Durability::memory;
    return config;
}

SharedTopology topologyOf(routingtest::Plan& plan) {
    auto topology = std::make_shared<Topology>();
    topology->config = plan.shared();
    return topology;
}

class ShardTest : public ::testing::Test {
  protected:
    std::unique_ptr<Shard> make(support::TestDispatcher& dispatcher) {
        const Services services{store, records, passwords, logins, board, deliveries};
        return std::make_unique<Shard>(*dispatcher, services, topologyOf(plan),
                                       MessageIdMaker(4095, 1'700'000'000));
    }

    routingtest::Plan plan;
    ConnectorBoard board{4};
    support::TestDispatcher one{"one"};
    support::TestDispatcher other{"other"};
    support::TestDispatcher stranger{"stranger"};
    Store store{inMemory()};
    RecordLog records{RecordsConfig{}};
    PasswordDesk passwords;
    LoginThrottle logins{std::chrono::milliseconds(0)};
    std::atomic<std::uint64_t> deliveries{1};
};

using ShardSetTest = ShardTest;

TEST_F(ShardSetTest, KnowsWhichShardADispatcherIs) {
    ShardSet shards;
    shards.add(make(one));
    shards.add(make(other));
    EXPECT_EQ(shards.size(), 2u);
    EXPECT_EQ(&shards.of(*one), &shards[0]);
    EXPECT_EQ(&shards.of(*other), &shards[1]);
    EXPECT_EQ(&shards[1].thread(), &*other);
}

TEST_F(ShardSetTest, ADispatcherWithoutAShardIsAMistake) {
    ShardSet shards;
    EXPECT_THROW((void)shards.of(*one), std::logic_error);
    shards.add(make(one));
    EXPECT_THROW((void)shards.of(*stranger), std::logic_error);
}

TEST_F(ShardTest, UsesAnotherConfigurationAtOnce) {
    const auto shard = make(one);
    routingtest::Plan next;
    next.connector("a");
    next.route("all").connector = 0;
    board[0].live = true;
    const SharedTopology topology = topologyOf(next);
    EXPECT_FALSE(shard->routing().route(routingtest::to("49170")).connector);
    shard->use(topology);
    EXPECT_EQ(shard->routing().route(routingtest::to("49170")).connector, 0u);
    EXPECT_EQ(shard->sharedTopology(), topology);
    EXPECT_EQ(&shard->config(), topology->config.get());
}

}  // namespace
}  // namespace router
