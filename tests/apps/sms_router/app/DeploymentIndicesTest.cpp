#include "sms_router/app/Deployment.h"

#include <gtest/gtest.h>

#include "apps/sms_router/app/CoreBench.h"

namespace router {
namespace {

std::vector<std::string> namesOf(const RouterConfig& config) {
    std::vector<std::string> names;
    for (const ConnectorConfig& connector : config.connectors) names.push_back(connector.name);
    return names;
}

RouterConfig configOf(std::initializer_list<const char*> connectors) {
    ConfigOf made;
    for (const char* name : connectors) made.connector(name);
    return made.config();
}

using NameList = std::vector<std::string>;

TEST(DeploymentIndices, TheFirstConfigurationStaysAsItIs) {
    const auto first = withRunningIndices(configOf({"a", "b"}), {});
    EXPECT_EQ(namesOf(*first), (NameList{"a", "b"}));
    EXPECT_EQ(first->connectorByName.at("a"), 0u);
    EXPECT_EQ(first->connectorByName.at("b"), 1u);
}

TEST(DeploymentIndices, ConnectorsKeepTheirPlaceWhateverTheirOrder) {
    const auto next = withRunningIndices(configOf({"c", "a", "b"}), configOf({"a", "b", "c"}));
    EXPECT_EQ(namesOf(*next), (NameList{"a", "b", "c"}));
    EXPECT_EQ(next->connectorByName.at("a"), 0u);
    EXPECT_EQ(next->connectorByName.at("c"), 2u);
}

TEST(DeploymentIndices, OneThatIsGoneLeavesAnEmptyPlace) {
    const auto next = withRunningIndices(configOf({"a", "c"}), configOf({"a", "b", "c"}));
    EXPECT_EQ(namesOf(*next), (NameList{"a", "", "c"}));
    EXPECT_EQ(next->connectorByName.count("b"), 0u);
}

TEST(DeploymentIndices, OneThatIsNewStandsBehindAllOthersAlsoEmptyPlaces) {
    const auto next = withRunningIndices(configOf({"d", "a"}), configOf({"a", "", "c"}));
    EXPECT_EQ(namesOf(*next), (NameList{"a", "", "", "d"}));
    EXPECT_EQ(next->connectorByName.at("d"), 3u);
}

TEST(DeploymentIndices, WhatIsSaidOfAConnectorMovesWithIt) {
    RouterConfig next = configOf({"b", "a"});
    next.connectors[0].window = 77;
    const auto moved = withRunningIndices(next, configOf({"a", "b"}));
    EXPECT_EQ(moved->connectors[1].window, 77u);
    EXPECT_NE(moved->connectors[0].window, 77u);
}

TEST(DeploymentIndices, EverythingThatRefersToAConnectorFollowsIt) {
    RouterConfig next = configOf({"c", "new", "a"});
    RouteConfig toC;
    toC.connector = 0;
    RouteConfig toGroup;
    toGroup.group = 0;
    RouteConfig rejected;
    rejected.reject = smpp::Status::invDstAdr;
    next.routes = {toC, toGroup, rejected};
    GroupConfig group;
    group.tiers = {{0, 1}, {2}};
    next.groups = {group};
    MoRouteConfig mo;
    mo.connectors = {2, 1};
    mo.account = 5;
    next.moRoutes = {mo};

    const auto moved = withRunningIndices(next, configOf({"a", "b", "c"}));
    EXPECT_EQ(namesOf(*moved), (NameList{"a", "", "c", "new"}));
    EXPECT_EQ(moved->routes[0].connector, 2u);
    EXPECT_EQ(moved->routes[1].connector, std::nullopt);
    EXPECT_EQ(moved->routes[1].group, 0u);
    EXPECT_EQ(moved->routes[2].connector, std::nullopt);
    EXPECT_EQ(moved->groups[0].tiers, (std::vector<std::vector<std::size_t>>{{2, 3}, {0}}));
    EXPECT_EQ(moved->moRoutes[0].connectors, (std::vector<std::size_t>{0, 3}));
    EXPECT_EQ(moved->moRoutes[0].account, 5u);
}

TEST(DeploymentIndices, AllElseIsThatOfTheNewConfiguration) {
    RouterConfig next = configOf({"a"});
    next.router.systemId = "other";
    next.accounts.resize(3);
    const auto moved = withRunningIndices(next, configOf({"b"}));
    EXPECT_EQ(moved->router.systemId, "other");
    EXPECT_EQ(moved->accounts.size(), 3u);
}

TEST(DeploymentIndices, WithoutConnectorsOnlyEmptyPlacesAreLeft) {
    EXPECT_EQ(namesOf(*withRunningIndices({}, configOf({"a", "b"}))), (NameList{"", ""}));
}

TEST(DeploymentIndices, AlignedTwiceNothingMoves) {
    const auto once = withRunningIndices(configOf({"c", "a"}), configOf({"a", "b", "c"}));
    const auto twice = withRunningIndices(configOf({"c", "a"}), *once);
    EXPECT_EQ(namesOf(*twice), namesOf(*once));
    EXPECT_EQ(twice->connectorByName, once->connectorByName);
}

}  // namespace
}  // namespace router
