// A configuration put together by hand, and a board on which a test switches connectors.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "sms_router/routing/Router.h"

namespace router::routingtest {

using Time = std::chrono::system_clock::time_point;

// 2024-01-01 00:00 UTC, a Monday.
inline const Time monday{std::chrono::seconds(1'704'067'200)};

inline AddressPattern pattern(std::string_view text) {
    std::string problem;
    const auto parsed = AddressPattern::parse(text, problem);
    if (!parsed) throw std::invalid_argument(problem);
    return *parsed;
}

inline MessageFacts to(std::string_view destination, std::string_view source = "4444") {
    MessageFacts facts;
    facts.account = "esme1";
    facts.source = source;
    facts.destination = destination;
    facts.time = monday;
    return facts;
}

inline MessageFacts partTo(std::string_view destination, unsigned reference, unsigned part = 1) {
    MessageFacts facts = to(destination);
    facts.part = smpp::Concatenation{reference, 3, part};
    return facts;
}

class Plan {
  public:
    std::size_t connector(const std::string& name, double cost = 1, std::size_t weight = 1) {
        ConnectorConfig connector;
        connector.name = name;
        connector.cost = cost;
        connector.weight = weight;
        config_.connectorByName[name] = config_.connectors.size();
        config_.connectors.push_back(connector);
        return config_.connectors.size() - 1;
    }
    void price(std::size_t connector, std::string_view prefix, double price) {
        ConnectorConfig& its = config_.connectors[connector];
        auto prices =
            its.prices ? std::make_shared<PriceList>(*its.prices) : std::make_shared<PriceList>();
        prices->add(prefix, price);
        its.prices = std::move(prices);
    }
    std::size_t group(Balance balance, std::vector<std::vector<std::size_t>> tiers) {
        GroupConfig group;
        group.name = "pool";
        group.balance = balance;
        group.tiers = std::move(tiers);
        config_.groups.push_back(group);
        return config_.groups.size() - 1;
    }
    AccountConfig& account(const std::string& name) {
        config_.accountByName[name] = config_.accounts.size();
        config_.accounts.emplace_back().systemId = name;
        return config_.accounts.back();
    }
    RouteConfig& route(const std::string& name) {
        RouteConfig& route = config_.routes.emplace_back();
        route.name = name;
        route.line = static_cast<int>(config_.routes.size()) * 10;
        return route;
    }
    RouterConfig& config() { return config_; }
    SharedConfig shared() const { return std::make_shared<const RouterConfig>(config_); }

  private:
    RouterConfig config_;
};

inline void setLive(ConnectorBoard& board, std::initializer_list<std::size_t> connectors) {
    for (std::size_t i = 0; i < board.size(); ++i) board[i].live = false;
    for (const std::size_t connector : connectors) board[connector].live = true;
}

}  // namespace router::routingtest
