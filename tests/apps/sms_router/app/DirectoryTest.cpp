#include "sms_router/app/Directory.h"

#include <gtest/gtest.h>

#include <ctime>

#include <set>

#include <smpp/pdu/PduWriter.h>

#include "apps/sms_router/app/CoreBench.h"
#include "apps/sms_router/store/StoreTesting.h"
#include "sms_router/ingress/EsmeLink.h"

namespace router {
namespace {

std::vector<std::shared_ptr<const SmscDialing>> dialingsOf(const RouterConfig& config) {
    std::vector<std::shared_ptr<const SmscDialing>> dialings;
    for (const ConnectorConfig& connector : config.connectors) {
        auto dialing = std::make_shared<SmscDialing>();
        dialing->config = connector;
        dialing->session = std::make_shared<smpp::SessionOptions>();
        dialings.push_back(connector.name.empty() ? nullptr : dialing);
    }
    return dialings;
}

TEST(Directory, AWorldHasEverybodyByTheirIndex) {
    CoreBench bench;
    const SharedConfig config =
        ConfigOf().account("esme1").account("esme2").connector("a").connector("b").shared();
    const SharedTopology topology = bench.directory.topologyOf(config);
    EXPECT_EQ(topology->config, config);
    ASSERT_EQ(topology->accounts.size(), 2u);
    EXPECT_EQ(topology->accounts[0]->systemId(), "esme1");
    EXPECT_EQ(topology->accounts[1]->systemId(), "esme2");
    ASSERT_EQ(topology->connectors.size(), 2u);
    EXPECT_EQ(topology->connectors[0], &bench.directory.connector(0));
    EXPECT_EQ(topology->connectors[1], &bench.directory.connector(1));
    EXPECT_EQ(bench.directory.connectorCount(), 2u);
}

TEST(Directory, ConnectorsAreFoundByTheNumberThatTheirIdsHave) {
    CoreBench bench;
    const SharedTopology topology =
        bench.directory.topologyOf(ConfigOf().connector("a").connector("b").shared());
    EXPECT_EQ(topology->connectorByNumber.size(), 2u);
    for (std::size_t i = 0; i < 2; ++i) {
        const SmscConnector& connector = bench.directory.connector(i);
        EXPECT_EQ(topology->connectorByNumber.at(connector.identity().number), &connector);
        EXPECT_EQ(connector.identity().index, i);
    }
}

TEST(Directory, WhoWasMadeOnceStays) {
    CoreBench bench;
    const SharedTopology first = bench.directory.topologyOf(
        ConfigOf().account("esme1").account("esme2").connector("a").shared());
    const SharedTopology next = bench.directory.topologyOf(
        ConfigOf().account("esme3").account("esme1").connector("a").connector("b").shared());
    EXPECT_EQ(next->accounts[1], first->accounts[0]);
    EXPECT_EQ(&next->accounts[1]->desk(), &first->accounts[0]->desk());
    EXPECT_EQ(next->connectors[0], first->connectors[0]);
    const SharedTopology last = bench.directory.topologyOf(
        ConfigOf().account("esme2").connector("a").connector("b").shared());
    EXPECT_EQ(last->accounts[0], first->accounts[1]) << "one that was away";
}

TEST(Directory, TheEsmesSessionIsConfigured) {
    CoreBench bench;
    ConfigOf config;
    config.config().router.systemId = "our router";
    config.config().timers.enquireLink = std::chrono::milliseconds(1234);
    const SharedTopology topology = bench.directory.topologyOf(config.shared());
    EXPECT_EQ(topology->esmeSession->side, smpp::Side::smsc);
    EXPECT_EQ(topology->esmeSession->systemId, "our router");
    EXPECT_EQ(topology->esmeSession->timers.enquireLink, std::chrono::milliseconds(1234));
}

TEST(Directory, ARateCountsForTheAccountThatIsThere) {
    CoreBench bench;
    const SharedTopology topology =
        bench.directory.topologyOf(ConfigOf().account("esme1", 1).shared());
    bench.directory.publish(topology, {});
    RateLimit& rate = topology->accounts[0]->rate();
    const nio::TimePoint now = nio::Clock::now();
    EXPECT_TRUE(rate.allow(now));
    EXPECT_FALSE(rate.allow(now));
    const SharedTopology next = bench.directory.topologyOf(ConfigOf().account("esme1", 0).shared());
    EXPECT_FALSE(rate.allow(now)) << "nobody has been told yet";
    bench.directory.publish(next, {});
    EXPECT_TRUE(rate.allow(now));
}

TEST(Directory, ConnectorsAreDealtOutToTheDispatchers) {
    CoreBench bench(CoreBench::inMemory(), 8, 3);
    ConfigOf config;
    for (const char* name : {"a", "b", "c", "d", "e", "f"}) config.connector(name);
    const SharedTopology topology = bench.directory.topologyOf(config.shared());
    std::set<const nio::SelectorThread*> homes;
    for (const Egress* connector : topology->connectors) homes.insert(&connector->dispatcher());
    EXPECT_EQ(homes.size(), 3u);
}

TEST(Directory, MoreConnectorsThanThereIsRoomForAreRefused) {
    CoreBench bench(CoreBench::inMemory(), 2);
    const SharedConfig config = ConfigOf().connector("a").connector("b").connector("c").shared();
    EXPECT_THROW(bench.directory.topologyOf(config), std::length_error);
}

TEST(Directory, PublishedItIsTheWorldOfAllShards) {
    CoreBench bench;
    const SharedConfig config = ConfigOf().account("esme1").connector("a").shared();
    const SharedTopology topology = bench.directory.topologyOf(config);
    bench.directory.publish(topology, dialingsOf(*config));
    EXPECT_NE(bench.shards[0].sharedTopology(), topology) << "each in its own turn";
    bench.turn();
    EXPECT_EQ(bench.shards[0].sharedTopology(), topology);
    EXPECT_EQ(bench.shards[1].sharedTopology(), topology);
}

TEST(Directory, AConnectorWithoutADialingIsRetired) {
    CoreBench bench;
    const SharedConfig config = ConfigOf().connector("a").shared();
    bench.directory.publish(bench.directory.topologyOf(config), dialingsOf(*config));
    bench.turn();
    EXPECT_FALSE(bench.directory.isSettled(bench.directory.connectorCount()));
    bench.directory.publish(bench.directory.topologyOf(config), {nullptr});
    bench.turn();
    EXPECT_TRUE(bench.directory.isSettled(bench.directory.connectorCount()));
    EXPECT_FALSE(bench.board[0].live);
    bench.on(bench.directory.connector(0).dispatcher(), [&] {
        nio::onDispatcher.assertCurrent();
        EXPECT_TRUE(bench.directory.connector(0).describeNow().stopped);
    });
}

TEST(Directory, WithoutConnectorsItIsSettled) {
    CoreBench bench;
    EXPECT_TRUE(bench.directory.isSettled(bench.directory.connectorCount()));
}

// --- what an earlier run has left -----------------------------------------------------------

class DirectoryOnDiskTest : public ::testing::Test {
  protected:
    // As a run before has left it.
    std::uint32_t leave(std::initializer_list<const char*> accounts) {
        Caller caller;  // outlives the store that answers it
        Store store(file.config());
        const std::uint32_t number = store.connectorNumber("a");
        const std::int64_t now = std::time(nullptr);
        std::uint64_t n = 0;
        for (const char* account : accounts) {
            ++n;
            const MessageId id = (static_cast<MessageId>(number) << sequenceBits) + n;
            IdRecord record;
            record.id = id;
            record.connector = number;
            record.smscId = "S" + std::to_string(n);
            record.account = account;
            record.time = now;
            EXPECT_TRUE(caller.adds(store, record));
            EXPECT_TRUE(
                caller.keeps(store, {n, account, now, nio::copyOf(nio::asBytes("a receipt"))}));
        }
        return number;
    }

    StoreFile file;
};

TEST_F(DirectoryOnDiskTest, IsGivenBackToThoseWhoAreThere) {
    const std::uint32_t number = leave({"esme1", "esme2", "esme1", "nobody"});
    CoreBench bench(file.config());
    const SharedTopology topology = bench.directory.topologyOf(
        ConfigOf().account("esme1").account("esme2").connector("other").connector("a").shared());
    bench.directory.publish(topology, dialingsOf(*topology->config));
    SmscConnector& connector = bench.directory.connector(1);
    EXPECT_EQ(connector.identity().number, number) << "the same as ever";
    const auto keptOf = [&](std::size_t account) {
        auto& desk = topology->accounts[account]->desk();
        std::size_t kept = 0;
        bench.on(desk.dispatcher(), [&] {
            nio::onDispatcher.assertCurrent();
            kept = desk.figuresNow().kept;
        });
        return kept;
    };
    EXPECT_EQ(keptOf(0), 2u);
    EXPECT_EQ(keptOf(1), 1u);
    bench.turn();
    bench.on(connector.dispatcher(), [&] {
        nio::onDispatcher.assertCurrent();
        EXPECT_EQ(connector.describeNow().receipts.ids, 3u);
    });
}

TEST_F(DirectoryOnDiskTest, IsGivenToThoseWhoComeBackLater) {
    (void)leave({"esme1", "esme2"});
    CoreBench bench(file.config());
    const auto publish = [&](const ConfigOf& config) {
        const SharedTopology topology = bench.directory.topologyOf(config.shared());
        bench.directory.publish(topology, dialingsOf(*topology->config));
        bench.turn();
        return topology;
    };
    const auto idsOf = [&](std::size_t index) {
        SmscConnector& connector = bench.directory.connector(index);
        std::size_t ids = 0;
        bench.on(connector.dispatcher(), [&] {
            nio::onDispatcher.assertCurrent();
            ids = connector.describeNow().receipts.ids;
        });
        return ids;
    };
    publish(ConfigOf().account("esme1").connector("other"));
    publish(ConfigOf().account("esme1").connector("other").connector("a"));
    EXPECT_EQ(idsOf(1), 1u);
    const SharedTopology all =
        publish(ConfigOf().account("esme1").account("esme2").connector("other").connector("a"));
    EXPECT_EQ(idsOf(1), 2u);
    auto& desk = all->accounts[1]->desk();
    bench.on(desk.dispatcher(), [&] {
        nio::onDispatcher.assertCurrent();
        EXPECT_EQ(desk.figuresNow().kept, 1u);
    });
}

TEST_F(DirectoryOnDiskTest, AQueryBeforeTheConfigurationIsRefused) {
    (void)leave({"esme1"});
    CoreBench bench(file.config());
    const SharedTopology topology =
        bench.directory.topologyOf(ConfigOf().account("esme1").connector("a").shared());
    SmscConnector& connector = bench.directory.connector(0);
    bench.on(connector.dispatcher(), [&] {
        nio::onDispatcher.assertCurrent();
        IdEntry entry;
        entry.id = (static_cast<MessageId>(connector.identity().number) << sequenceBits) + 1;
        entry.account = topology->accounts[0];
        entry.smscId = "S1";
        Submission question;
        question.origin.link = nio::ChannelHandle(connector.dispatcher(), 0, 0);
        question.origin.ingress = &EsmeLink::ingress();
        question.account = entry.account;
        question.about = entry.id;
        question.pdu = smpp::PduWriter(smpp::Command::querySm, smpp::Status::ok, 7)
                           .text("0000000000000001")
                           .number(1)
                           .number(1)
                           .text("1234")
                           .finish();
        connector.restore(std::move(entry), std::time(nullptr));
        connector.submitNow(std::move(question));
        EXPECT_EQ(connector.unansweredNow(), 0u);
    });
}

TEST_F(DirectoryOnDiskTest, WhatBelongsToNobodyStaysInTheStore) {
    (void)leave({"nobody"});
    CoreBench bench(file.config());
    const SharedConfig config = ConfigOf().account("esme1").connector("a").shared();
    bench.directory.publish(bench.directory.topologyOf(config), dialingsOf(*config));
    bench.turn();
    EXPECT_EQ(bench.store.loadIds().size(), 1u);
    EXPECT_EQ(bench.store.loadKept().size(), 1u);
}

}  // namespace
}  // namespace router
