#include "sms_router/app/Deployment.h"

#include <gtest/gtest.h>

#include <nio/sys/Kernel.h>

#include "apps/sms_router/app/CoreBench.h"
#include "nio-tls/Certificates.h"
#include "nio/sys/KernelTesting.h"
#include "support/FaultySelector.h"
#include "support/LogCapture.h"
#include "support/TestClient.h"

namespace router {
namespace {

using Lines = std::vector<std::string>;

class DeploymentTest : public ::testing::Test {
  protected:
    Lines apply(const ConfigOf& config) {
        Lines mistakes = bench.deployment.apply(config.shared());
        bench.turn();
        return mistakes;
    }
    const Topology& topology() { return bench.shards[0].topology(); }
    nio::SocketAddress addressOf(std::size_t listener) {
        return bench.deployment.listeners().at(listener)->address();
    }
    std::size_t limitOf(std::size_t listener) {
        return bench.deployment.listeners().at(listener)->limit();
    }
    CoreBench bench;
    nio::kerneltest::TemporaryFolder folder;
    // A port that is in use.
    const nio::kerneltest::Listener other{nio::SocketAddress::Family::ipv4, folder};
    const std::uint16_t taken = other.address().port();
};

TEST_F(DeploymentTest, TheFirstConfigurationIsInForce) {
    EXPECT_EQ(apply(ConfigOf().account("esme1").connector("a").listener("plain")), Lines{});
    ASSERT_EQ(bench.deployment.listeners().size(), 1u);
    EXPECT_NE(addressOf(0).port(), 0);
    EXPECT_TRUE(support::isListening(addressOf(0)));
    EXPECT_EQ(topology().config->accounts.at(0).systemId, "esme1");
    EXPECT_EQ(bench.directory.connectorCount(), 1u);
}

TEST_F(DeploymentTest, AListenerThatCannotOpenStandsInTheWay) {
    const Lines mistakes = apply(ConfigOf().account("esme1").listener("busy", taken));
    ASSERT_EQ(mistakes.size(), 1u);
    EXPECT_TRUE(
        mistakes[0].starts_with("listener busy (127.0.0.1:" + std::to_string(taken) + "): "))
        << mistakes[0];
}

TEST_F(DeploymentTest, WithOneMistakeNothingOfItIsInForce) {
    ASSERT_EQ(apply(ConfigOf().account("esme1").connector("a").listener("plain")), Lines{});
    const nio::SocketAddress address = addressOf(0);
    const SharedTopology before = bench.shards[0].sharedTopology();
    EXPECT_EQ(
        apply(ConfigOf().account("esme2").connector("b").listener("new").listener("busy", taken))
            .size(),
        1u);
    EXPECT_EQ(bench.shards[0].sharedTopology(), before);
    EXPECT_EQ(bench.shards[1].sharedTopology(), before);
    EXPECT_EQ(bench.directory.connectorCount(), 1u);
    ASSERT_EQ(bench.deployment.listeners().size(), 1u);
    EXPECT_EQ(addressOf(0), address);
    EXPECT_TRUE(support::isListening(address));
}

TEST_F(DeploymentTest, AListenerIsClosedAgainIfAnotherCannotOpen) {
    nio::SocketAddress address;
    {
        const nio::kerneltest::Listener probe(nio::SocketAddress::Family::ipv4, folder);
        address = probe.address();
    }
    EXPECT_EQ(apply(ConfigOf().listener("new", address.port()).listener("busy", taken)).size(), 1u);
    EXPECT_FALSE(support::isListening(address));
}

TEST_F(DeploymentTest, AllMistakesAreToldAtOnce) {
    ConfigOf config;
    config.connector("a").listener("busy", taken).listener("tls");
    config.config().connectors[0].tls = TlsClientConfig{folder.file("no authority"), "", true};
    config.config().listeners[1].tls = TlsServerConfig{folder.file("no"), folder.file("none")};
    const Lines mistakes = apply(config);
    ASSERT_EQ(mistakes.size(), 3u);
    EXPECT_TRUE(mistakes[0].starts_with("connector a: ")) << mistakes[0];
    EXPECT_TRUE(mistakes[1].starts_with("listener busy (")) << mistakes[1];
    EXPECT_TRUE(mistakes[2].starts_with("listener tls (")) << mistakes[2];
}

TEST_F(DeploymentTest, AfterAMistakeTheNextConfigurationIsTaken) {
    EXPECT_EQ(apply(ConfigOf().listener("busy", taken)).size(), 1u);
    EXPECT_EQ(apply(ConfigOf().account("esme1").connector("b").listener("plain")), Lines{});
    EXPECT_EQ(topology().config->connectors.at(0).name, "b");
}

TEST_F(DeploymentTest, ARefusedConfigurationLeavesNothingForTheNext) {
    const auto given = [&](const std::string& name) { return bench.store.connectorNumber(name); };
    ASSERT_EQ(apply(ConfigOf().connector("a")), Lines{});
    for (int i = 0; given("gone " + std::to_string(i)) + 1 < Directory::maxNumber; ++i) continue;
    const Lines full{"too many connectors for one store"};
    EXPECT_EQ(apply(ConfigOf().connector("a").connector("b").connector("c")), full);
    EXPECT_EQ(apply(ConfigOf().connector("a").connector("d")), full) << "b has the last number";
    EXPECT_EQ(apply(ConfigOf().connector("a").connector("b")), Lines{});
    const std::size_t place = topology().config->connectorByName.at("b");
    EXPECT_EQ(bench.directory.connector(place).identity().number, given("b"));
}

TEST_F(DeploymentTest, ARefusedConfigurationLeavesTheRatesAsTheyWere) {
    ASSERT_EQ(apply(ConfigOf().account("esme1", 1).connector("a")), Lines{});
    for (std::uint32_t i = 0; i <= Directory::maxNumber; ++i) {
        bench.store.connectorNumber("gone " + std::to_string(i));
    }
    EXPECT_EQ(apply(ConfigOf().account("esme1", 1000).connector("a").connector("b")).size(), 1u);
    RateLimit& rate = topology().accounts.at(0)->rate();
    const nio::TimePoint now = nio::Clock::now();
    EXPECT_TRUE(rate.allow(now));
    EXPECT_FALSE(rate.allow(now)) << "still one message per second";
}

TEST_F(DeploymentTest, KnowsWhenCertificatesOfConnectorsExpire) {
    support::Authority authority("authority");
    const nio::TlsServerFiles own = authority.issue("router", {.toDays = 10});
    ConfigOf config = ConfigOf().connector("plain").connector("anonymous").connector("known");
    config.config().connectors[1].tls = TlsClientConfig{authority.file(), "", true};
    config.config().connectors[2].tls =
        TlsClientConfig{authority.file(), "", true, own.certificate, own.key};
    ASSERT_EQ(apply(config), Lines{});
    const std::vector<CertificateRow> rows = bench.deployment.certificates();
    ASSERT_EQ(rows.size(), 1u);
    EXPECT_EQ(rows[0].name, "known");
    EXPECT_TRUE(rows[0].isOfConnector);
    const auto left = rows[0].expires - std::chrono::system_clock::now();
    EXPECT_GT(left, std::chrono::hours(24 * 8));
    EXPECT_LT(left, std::chrono::hours(24 * 11));
    ASSERT_EQ(apply(ConfigOf().connector("plain")), Lines{});
    EXPECT_TRUE(bench.deployment.certificates().empty());
}

// --- listeners ------------------------------------------------------------------------------

TEST_F(DeploymentTest, AListenerThatStaysIsNotOpenedAnew) {
    ASSERT_EQ(apply(ConfigOf().listener("plain")), Lines{});
    const nio::SocketAddress address = addressOf(0);
    const EsmeListener* before = bench.deployment.listeners()[0].get();
    EXPECT_EQ(apply(ConfigOf().listener("plain").account("esme1")), Lines{});
    EXPECT_EQ(bench.deployment.listeners().at(0).get(), before);
    EXPECT_EQ(addressOf(0), address);
    EXPECT_TRUE(support::isListening(address));
}

TEST_F(DeploymentTest, AListenerThatIsGoneCloses) {
    ASSERT_EQ(apply(ConfigOf().listener("plain")), Lines{});
    const nio::SocketAddress address = addressOf(0);
    EXPECT_EQ(apply(ConfigOf()), Lines{});
    EXPECT_TRUE(bench.deployment.listeners().empty());
    EXPECT_FALSE(support::isListening(address));
}

TEST_F(DeploymentTest, SaysWhichListenerItsDispatcherCouldNotTake) {
    Lines refused;
    bench.group[0].requestClose({std::chrono::milliseconds(0)});
    const auto mistakes = bench.deployment.apply(
        ConfigOf().listener("late").shared(), [&](const std::string& name, const nio::Error& why) {
            refused.push_back(name + ": " + why.message());
        });
    bench.turn();
    EXPECT_EQ(mistakes, Lines{});
    ASSERT_EQ(refused.size(), 1u);
    EXPECT_EQ(refused[0].rfind("listener late: ", 0), 0u) << refused[0];
}

TEST(DeploymentFaults, AFailedListenerIsReopenedOnTheNextReload) {
    support::LogCapture log;
    support::FaultySelector::Faults faults;
    CoreBench bench(CoreBench::inMemory(), 64, 2, support::FaultySelector::options(faults));
    const auto apply = [&] {
        EXPECT_EQ(bench.deployment.apply(ConfigOf().listener("plain").shared()), Lines{});
        bench.turn();
        return bench.deployment.listeners().at(0)->address();
    };
    faults.watch = true;
    EXPECT_FALSE(support::isListening(apply()));
    EXPECT_EQ(log.count("listener plain"), 1u);
    faults.watch = false;
    EXPECT_TRUE(support::isListening(apply()));
}

TEST_F(DeploymentTest, ClosedListenersTakeNobody) {
    ASSERT_EQ(apply(ConfigOf().listener("plain")), Lines{});
    const nio::SocketAddress address = addressOf(0);
    bench.deployment.closeListeners();
    bench.turn();
    EXPECT_FALSE(support::isListening(address));
}

TEST_F(DeploymentTest, AListenerWhoseLimitChangesIsNotInItsOwnWay) {
    ASSERT_EQ(apply(ConfigOf().listener("plain")), Lines{});
    const std::uint16_t port = addressOf(0).port();
    ConfigOf fixed;
    fixed.listener("plain", port);
    ASSERT_EQ(apply(ConfigOf()), Lines{});
    ASSERT_EQ(apply(fixed), Lines{});
    fixed.config().listeners[0].maxConnections = 100;
    EXPECT_EQ(apply(fixed), Lines{});
    EXPECT_TRUE(support::isListening(addressOf(0)));
}

TEST_F(DeploymentTest, ListenersShareDescriptorsAlsoAfterAReload) {
    const std::size_t descriptors = nio::kernel::descriptorLimit();
    ConfigOf config;
    ASSERT_EQ(apply(config.listener("one").listener("other")), Lines{});
    const std::size_t half = limitOf(0);
    EXPECT_LT(half + limitOf(1), descriptors - 64);
    config.config().listeners[1].maxConnections = 100;
    ASSERT_EQ(apply(config), Lines{});
    EXPECT_EQ(limitOf(1), 100u);
    EXPECT_GT(limitOf(0), half);
    EXPECT_LT(limitOf(0) + limitOf(1), descriptors - 64);
    config.config().listeners[1].maxConnections = 0;
    ASSERT_EQ(apply(config.listener("third")), Lines{});
    EXPECT_LT(limitOf(0), half);
    EXPECT_EQ(limitOf(0), limitOf(1));
    EXPECT_EQ(limitOf(0), limitOf(2));
}

TEST_F(DeploymentTest, TwoListenersOnFreePortsSurviveAReload) {
    const ConfigOf two = ConfigOf().listener("one").listener("other");
    ASSERT_EQ(apply(two), Lines{});
    const nio::SocketAddress one = addressOf(0);
    const nio::SocketAddress second = addressOf(1);
    EXPECT_NE(one, second);
    EXPECT_EQ(apply(two), Lines{});
    ASSERT_EQ(bench.deployment.listeners().size(), 2u);
    EXPECT_TRUE(support::isListening(one));
    EXPECT_TRUE(support::isListening(second));
}

// --- connectors -----------------------------------------------------------------------------

TEST_F(DeploymentTest, AConnectorThatStaysIsTheSameOneAtTheSamePlace) {
    ASSERT_EQ(apply(ConfigOf().connector("a").connector("b")), Lines{});
    const Egress* b = topology().connectors.at(1);
    EXPECT_EQ(apply(ConfigOf().connector("new").connector("b")), Lines{});
    EXPECT_EQ(topology().connectors.at(1), b);
    EXPECT_EQ(topology().config->connectorByName.at("b"), 1u);
    EXPECT_EQ(topology().config->connectorByName.at("new"), 2u);
    EXPECT_EQ(topology().connectors.size(), 3u);
}

TEST_F(DeploymentTest, AConnectorThatIsGoneStops) {
    ASSERT_EQ(apply(ConfigOf().connector("a")), Lines{});
    EXPECT_EQ(apply(ConfigOf()), Lines{});
    SmscConnector& gone = bench.directory.connector(0);
    bench.on(gone.dispatcher(), [&] {
        nio::onDispatcher.assertCurrent();
        EXPECT_TRUE(gone.describeNow().stopped);
    });
}

TEST_F(DeploymentTest, AConnectorThatComesBackIsTheSameOne) {
    ASSERT_EQ(apply(ConfigOf().connector("a").connector("b")), Lines{});
    const Egress* a = topology().connectors.at(0);
    ASSERT_EQ(apply(ConfigOf().connector("b")), Lines{});
    ASSERT_EQ(apply(ConfigOf().connector("b").connector("a")), Lines{});
    EXPECT_EQ(topology().connectors.at(topology().config->connectorByName.at("a")), a);
    EXPECT_EQ(bench.directory.connectorCount(), 2u);
    auto& back = bench.directory.connector(0);
    bench.on(back.dispatcher(), [&] {
        nio::onDispatcher.assertCurrent();
        EXPECT_FALSE(back.describeNow().stopped);
    });
}

TEST_F(DeploymentTest, MoreConnectorsThanThereMayEverBeAreAMistake) {
    ConfigOf config;
    for (std::size_t i = 0; i <= Directory::maxConnectors; ++i) {
        config.connector("c" + std::to_string(i));
    }
    EXPECT_EQ(apply(config).size(), 1u);
    EXPECT_EQ(bench.directory.connectorCount(), 0u);
}

// --- what needs a restart -------------------------------------------------------------------

TEST_F(DeploymentTest, WhatCannotChangeWhileItRunsIsNamed) {
    const RouterConfig running;
    EXPECT_EQ(Deployment::fixedChanges(running, running), Lines{});
    RouterConfig next;
    next.router.threads = 7;
    next.router.memoryBudget = 0;
    next.router.moderation = std::chrono::microseconds(100);
    next.router.stallLimit *= 2;
    next.router.flightRecords = 0;
    next.store.path = "other.db";
    next.admin.token = "secret";
    next.router.systemId = "may change";
    EXPECT_EQ(
        Deployment::fixedChanges(next, running),
        (Lines{"router.threads takes effect after a restart",
               "router.memory_budget takes effect after a restart",
               "router.moderation takes effect after a restart",
               "router.stall_limit takes effect after a restart",
               "router.flight_records takes effect after a restart",
               "store.path takes effect after a restart", "admin takes effect after a restart"}));
}

TEST_F(DeploymentTest, AListenersKeepAliveNeedsARestart) {
    RouterConfig running;
    running.listeners.resize(1);
    running.listeners[0].name = "esme";
    RouterConfig next = running;
    next.listeners[0].keepAlive = std::chrono::seconds(7);
    EXPECT_EQ(Deployment::fixedChanges(next, running),
              Lines{"listener.esme.keepalive takes effect after a restart"});
    next.listeners[0].port = 1;
    EXPECT_EQ(Deployment::fixedChanges(next, running), Lines{}) << "it is a new one";
}

TEST_F(DeploymentTest, WhatHoldsForNewConnectionsOnlyIsNamed) {
    const RouterConfig running;
    RouterConfig next;
    next.router.maxPduBytes *= 2;
    EXPECT_EQ(Deployment::laterChanges(next, running),
              Lines{"router.max_pdu_bytes: for new connections only"});
    next = {};
    next.router.maxUnboundPduBytes *= 2;
    EXPECT_EQ(Deployment::laterChanges(next, running),
              Lines{"router.max_unbound_pdu_bytes: for new connections only"});
    next = {};
    next.timers.response *= 2;
    EXPECT_EQ(Deployment::laterChanges(next, running), Lines{"timers: for new connections only"});
    EXPECT_EQ(Deployment::fixedChanges(next, running), Lines{});
}

TEST(DeploymentOnSelect, LeavesDescriptorsBelowItsLimitToBinds) {
    nio::SelectorThreadOptions thread;
    thread.selector.kind = nio::SelectorKind::select;
    CoreBench bench(CoreBench::inMemory(), 64, 2, thread);
    ConfigOf config;
    config.connector("a").listener("plain");
    config.config().connectors[0].bind.transceivers = 100;
    ASSERT_EQ(bench.deployment.apply(config.shared()), Lines{});
    const std::size_t limit = bench.deployment.listeners().at(0)->limit();
    EXPECT_EQ(limit, connectionLimits(config.config(), 1'024, 2).at(0));
}

}  // namespace
}  // namespace router
