#include "sms_router/app/Deployment.h"

#include <gtest/gtest.h>

namespace router {
namespace {

using Limits = std::vector<std::size_t>;

RouterConfig withListeners(const Limits& maxConnections) {
    RouterConfig config;
    for (const std::size_t maximum : maxConnections) {
        config.listeners.emplace_back().maxConnections = maximum;
    }
    return config;
}

// By the router itself, the admin interface, and each dispatcher and listener.
constexpr std::size_t itself = 64 + 66;
constexpr std::size_t dispatcher = 4;
constexpr std::size_t listener = 2;

TEST(DeploymentLimits, AreThoseThatTheListenersSay) {
    EXPECT_EQ(connectionLimits(withListeners({}), 10'000, 2), Limits{});
    EXPECT_EQ(connectionLimits(withListeners({7, 20'000}), 10'000, 2), (Limits{7, 20'000}));
}

TEST(DeploymentLimits, AreWhatTheRouterDoesNotNeedItself) {
    EXPECT_EQ(connectionLimits(withListeners({0}), 10'000, 3),
              Limits{10'000 - itself - 3 * dispatcher - listener});
}

TEST(DeploymentLimits, AreEqualPartsForThoseThatSayNothing) {
    const std::size_t left = 10'000 - itself - dispatcher - 3 * listener - 1'000;
    EXPECT_EQ(connectionLimits(withListeners({0, 1'000, 0}), 10'000, 1),
              (Limits{left / 2, 1'000, left / 2}));
}

TEST(DeploymentLimits, LeaveTheConnectorsTheirBinds) {
    RouterConfig config = withListeners({0});
    const std::size_t without = connectionLimits(config, 10'000, 1).at(0);
    ConnectorConfig& both = config.connectors.emplace_back();
    both.bind.transceivers = 0;
    both.bind.transmitters = 100;
    both.bind.receivers = 20;
    config.connectors.emplace_back().outbindListen = "127.0.0.1:3000";
    EXPECT_EQ(connectionLimits(config, 10'000, 1).at(0), without - 120 - 1 - listener);
}

TEST(DeploymentLimits, AreAQuarterOfTheDescriptorsWhereThereAreFew) {
    EXPECT_EQ(connectionLimits(withListeners({0, 0}), 64, 2), (Limits{8, 8}));
    EXPECT_EQ(connectionLimits(withListeners({0, 5'000}), 1'024, 2), (Limits{256, 5'000}));
    EXPECT_EQ(connectionLimits(withListeners({0, 0}), 4, 2), (Limits{1, 1}));
}

}  // namespace
}  // namespace router
