#include "sms_router/app/Administration.h"

#include <gtest/gtest.h>

#include "apps/sms_router/app/CoreBench.h"
#include "support/LogCapture.h"
#include "support/TestDispatcher.h"

namespace router {
namespace {

using support::TestDispatcher;

class AdministrationTest : public ::testing::Test {
  protected:
    AdministrationTest() {
        const SharedConfig config = ConfigOf().account("esme1").connector("smsc").shared();
        EXPECT_TRUE(bench.deployment.apply(config).empty());
        turnAll();
    }
    ~AdministrationTest() override {
        bench.group.end();
        for (TestDispatcher* each : {&files, &control}) {
            (*each)->requestClose({std::chrono::milliseconds(0)});
            while (each->turn()) {
            }
        }
    }
    void turnAll() {
        for (int i = 0; i < 3; ++i) {
            control.turns(2);
            bench.turn();
        }
        control.turns(2);
    }
    // "yes", "no" or what went wrong.
    std::string switchOff(const std::string& name) {
        std::string said;
        administration.calls().switchConnector(name, false, [&](nio::Result<bool> known) {
            EXPECT_TRUE(control->isCurrent());
            said = !known ? known.error().message() : known.value() ? "yes" : "no";
        });
        turnAll();
        return said;
    }
    std::shared_ptr<const Snapshot> snapshot() {
        std::shared_ptr<const Snapshot> taken;
        administration.calls().snapshot(
            [&](std::shared_ptr<const Snapshot> made) { taken = made; });
        turnAll();
        return taken;
    }

    support::LogCapture log;
    // Destroyed after the bench, whose dispatchers still answer them.
    TestDispatcher control{"control"};
    TestDispatcher files{"files"};
    CoreBench bench;
    std::atomic<bool> draining{false};
    Reloader reloader{ConfigSource{"f", [] { return ConfigReading(); }}, ConfigOf().shared(),
                      Reloader::Surroundings{bench.deployment, bench.group, *files, draining},
                      [](const RouterConfig&) {}};
    Administration administration{
        {*control, *files, bench.group, bench.shards, bench.store, bench.records, bench.passwords,
         reloader, draining, bench.deployment.http()},
        ConfigOf().config(),
        nullptr};
};

TEST_F(AdministrationTest, SwitchesAConnectorByItsName) {
    EXPECT_EQ(switchOff("smsc"), "yes");
    EXPECT_EQ(log.count("connector 'smsc' is stopped by the administrator"), 1u);
    EXPECT_EQ(switchOff("other"), "no");
}

TEST_F(AdministrationTest, ASnapshotHasAccountsAndConnectors) {
    switchOff("smsc");
    const auto taken = snapshot();
    ASSERT_NE(taken, nullptr);
    ASSERT_EQ(taken->accounts.size(), 1u);
    EXPECT_EQ(taken->accounts[0].systemId, "esme1");
    ASSERT_EQ(taken->connectors.size(), 1u);
    EXPECT_TRUE(taken->connectors[0].stopped);
    EXPECT_TRUE(taken->silent.empty());
}

TEST_F(AdministrationTest, HealthSaysThatTheRouterDrains) {
    draining = true;
    std::optional<Health> said;
    administration.calls().health([&](Health health) { said = std::move(health); });
    turnAll();
    ASSERT_TRUE(said);
    EXPECT_TRUE(said->draining);
    EXPECT_EQ(said->silent, "");
}

TEST_F(AdministrationTest, WrongTokensAreCountedAndLogged) {
    const nio::SocketAddress peer = nio::SocketAddress::numeric("10.1.2.3", 80).orThrow();
    administration.calls().tokenRefused(peer);
    EXPECT_EQ(log.count("admin: wrong token from " + peer.toString() + " refused"), 1u);
    const auto taken = snapshot();
    ASSERT_NE(taken, nullptr);
    EXPECT_EQ(taken->logins.refusedTokens, 1u);
}

}  // namespace
}  // namespace router
