#include "sms_router/flow/Shard.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "apps/sms_router/routing/RoutingTesting.h"
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

class NotingMember final : public ShardMember {
  public:
    void topologyChangedNow() override NIO_REQUIRES(nio::onDispatcher) {
        ++worlds;
        if (leaves != nullptr) leaves->leave(*this);
    }
    void drainNow() override NIO_REQUIRES(nio::onDispatcher) {
        ++drains;
        if (leaves != nullptr) leaves->leave(*this);
    }
    BindRow describeNow() const override NIO_REQUIRES(nio::onDispatcher) { return {}; }
    std::string accountName() const override { return "esme1"; }

    Shard* leaves = nullptr;  // when it is told something
    int worlds = 0;
    int drains = 0;
};

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

TEST_F(ShardTest, AnotherWorldIsUsedAtOnceAndItsMembersHearOfIt) {
    const auto shard = make(one);
    NotingMember first;
    NotingMember second;
    shard->join(first);
    shard->join(second);
    routingtest::Plan next;
    next.connector("a");
    next.route("all").connector = 0;
    board[0].live = true;
    const SharedTopology topology = topologyOf(next);
    one.inTurn([&] {
        nio::onDispatcher.assertCurrent();
        EXPECT_FALSE(shard->routing().route(routingtest::to("49170")).connector);
        shard->useNow(topology);
        EXPECT_EQ(shard->routing().route(routingtest::to("49170")).connector, 0u);
    });
    EXPECT_EQ(shard->sharedTopology(), topology);
    EXPECT_EQ(&shard->config(), topology->config.get());
    EXPECT_EQ(first.worlds, 1);
    EXPECT_EQ(second.worlds, 1);
}

TEST_F(ShardTest, AMemberMayLeaveWhenItHearsOfIt) {
    const auto shard = make(one);
    NotingMember first;
    NotingMember second;
    first.leaves = &*shard;
    shard->join(first);
    shard->join(second);
    one.inTurn([&] {
        nio::onDispatcher.assertCurrent();
        shard->useNow(topologyOf(plan));
        EXPECT_EQ(shard->members(), std::vector<ShardMember*>{&second});
        second.leaves = &*shard;
        shard->drainNow();
    });
    EXPECT_EQ(second.worlds, 1);
    EXPECT_EQ(second.drains, 1);
    EXPECT_EQ(first.drains, 0);
    EXPECT_TRUE(shard->members().empty());
}

TEST_F(ShardTest, DrainingItStaysSo) {
    const auto shard = make(one);
    EXPECT_FALSE(shard->isDraining());
    one.inTurn([&] {
        nio::onDispatcher.assertCurrent();
        shard->drainNow();
    });
    EXPECT_TRUE(shard->isDraining());
}

}  // namespace
}  // namespace router
