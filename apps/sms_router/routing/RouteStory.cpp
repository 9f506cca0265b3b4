#include "sms_router/routing/RouteStory.h"

#include <array>
#include <cstdio>

#include <smpp/text/MessageText.h>

namespace router::story {

namespace {

template <typename Values, typename Write>
std::string joined(const Values& values, Write write) {
    std::string text;
    for (const auto& value : values) {
        if (!text.empty()) text += ", ";
        text += write(value);
    }
    return text.empty() ? "none" : text;
}

std::string list(const std::vector<std::string>& texts) {
    return joined(texts, [](const std::string& text) { return quoted(text); });
}

std::string list(const std::vector<std::uint8_t>& numbers) {
    return joined(numbers, [](std::uint8_t number) { return std::to_string(number); });
}

std::string list(const std::vector<std::size_t>& connectors, const RouterConfig& config) {
    return joined(connectors,
                  [&](std::size_t connector) { return config.connectors[connector].name; });
}

std::string clockTime(long minutes) {
    std::array<char, 24> text{};
    std::snprintf(text.data(), text.size(), "%02ld:%02ld", minutes / 60, minutes % 60);
    return text.data();
}

std::string dayName(unsigned weekday) {
    static constexpr std::array<const char*, 7> names{"Mon", "Tue", "Wed", "Thu",
                                                      "Fri", "Sat", "Sun"};
    return names[weekday % names.size()];
}

std::string daysOf(const TimeOfDay& times) {
    std::string text;
    for (unsigned day = 0; day < 7; ++day)
        if ((times.days >> day & 1) != 0) text += (text.empty() ? "" : ",") + dayName(day);
    return text;
}

template <typename Route>
std::string title(const char* kind, const Route& route) {
    std::string text = kind;
    if (!route.name.empty()) text += " " + quoted(route.name);
    if (route.line != 0) text += " (line " + std::to_string(route.line) + ")";
    return text + ": ";
}

std::string notAmong(const char* what, std::string value, const std::string& wanted) {
    return std::string("no: ") + what + " " + std::move(value) + " does not match " + wanted;
}

std::string notNow(const TimeOfDay& times, const LocalMinute& now) {
    return "no: " + dayName(now.weekday) + " " + clockTime(now.minute) + " is not within " +
           clockTime(times.from.count()) + " to " + clockTime(times.to.count()) + " on " +
           daysOf(times);
}

std::string numberText(double value) {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%g", value);
    return text.data();
}

// "cost 2", or "price 0.03 for 4179".
std::string costText(const ConnectorConfig& connector, std::string_view destination) {
    const PrefixPrice price = connector.priceOf(destination);
    const bool isListed = connector.prices != nullptr && connector.prices->find(destination);
    if (!isListed) return "cost " + numberText(price.price);
    return "price " + numberText(price.price) + " for " +
           (price.prefix.empty() ? "all other numbers" : std::string(price.prefix));
}

std::string stateText(const ConnectorConfig& connector, const ConnectorState* state,
                      Balance balance, std::string_view destination) {
    if (state == nullptr || !state->live) return connector.name + " (not live)";
    std::string text = connector.name + " (live";
    if (balance == Balance::weighted) text += ", weight " + std::to_string(connector.weight);
    if (balance == Balance::cheapest) text += ", " + costText(connector, destination);
    if (balance == Balance::cheapest || balance == Balance::fewestOutstanding)
        text += ", " + std::to_string(state->outstanding) + " outstanding";
    return text + ")";
}

const char* nameOf(Balance balance) {
    switch (balance) {
        case Balance::roundRobin: return "round robin";
        case Balance::weighted: return "weighted";
        case Balance::cheapest: return "cheapest";
        case Balance::fewestOutstanding: return "fewest outstanding";
    }
    return "";
}

const char* reasonOf(Balance balance) {
    switch (balance) {
        case Balance::roundRobin: return "its turn";
        case Balance::weighted: return "its turn by weight";
        case Balance::cheapest: return "the lowest cost, then the fewest outstanding";
        case Balance::fewestOutstanding: return "the fewest outstanding";
    }
    return "";
}

}  // namespace

std::string quoted(std::string_view text) {
    return '"' + smpp::escaped(text) + '"';
}

std::string list(const std::vector<AddressPattern>& patterns) {
    return joined(patterns,
                  [](const AddressPattern& pattern) { return smpp::escaped(pattern.text()); });
}

std::string matches(const RouteConfig& route) {
    return title("route", route) + "matches";
}

std::string matches(const MoRouteConfig& route) {
    return title("mo", route) + "matches";
}

std::string fails(const RouteConfig& route, Condition condition, const MessageFacts& facts,
                  const LocalMinute& now) {
    const std::string begin = title("route", route);
    switch (condition) {
        case Condition::destination:
            return begin +
                   notAmong("destination", quoted(facts.destination), list(route.destinations));
        case Condition::source:
            return begin + notAmong("source", quoted(facts.source), list(route.sources));
        case Condition::account:
            return begin + notAmong("account", quoted(facts.account), list(route.accounts));
        case Condition::serviceType:
            return begin +
                   notAmong("service_type", quoted(facts.serviceType), list(route.serviceTypes));
        case Condition::dataCoding:
            return begin + notAmong("data_coding", std::to_string(facts.dataCoding),
                                    list(route.dataCodings));
        case Condition::time: return begin + notNow(*route.time, now);
        case Condition::connector: break;
    }
    return begin + "no";
}

std::string fails(const MoRouteConfig& route, Condition condition, const RouterConfig& config,
                  std::size_t connector, std::string_view source, std::string_view destination) {
    const std::string begin = title("mo", route);
    switch (condition) {
        case Condition::connector:
            return begin + notAmong("connector", config.connectors[connector].name,
                                    list(route.connectors, config));
        case Condition::destination:
            return begin + notAmong("destination", quoted(destination), list(route.destinations));
        case Condition::source:
            return begin + notAmong("source", quoted(source), list(route.sources));
        default: return begin + "no";
    }
}

std::string group(const RouterConfig& config, std::size_t group, std::string_view destination,
                  const ConnectorBoard& board) {
    const GroupConfig& chosen = config.groups[group];
    std::string text = "group " + quoted(chosen.name) + ", " + nameOf(chosen.balance);
    for (std::size_t tier = 0; tier < chosen.tiers.size(); ++tier) {
        bool anyLive = false;
        text += "; tier " + std::to_string(tier + 1) + ": ";
        text += joined(chosen.tiers[tier], [&](std::size_t connector) {
            const ConnectorState* state = connector < board.size() ? &board[connector] : nullptr;
            anyLive = anyLive || (state != nullptr && state->live);
            return stateText(config.connectors[connector], state, chosen.balance, destination);
        });
        if (anyLive) break;
    }
    return text;
}

std::string chosen(const RouterConfig& config, std::size_t group, std::size_t connector,
                   std::string_view destination) {
    const ConnectorConfig& its = config.connectors[connector];
    std::string text =
        "connector " + quoted(its.name) + ": " + reasonOf(config.groups[group].balance);
    const bool isPriced = config.groups[group].balance == Balance::cheapest && its.prices;
    return isPriced ? text + ": " + costText(its, destination) : text;
}

std::string awaited(const RouterConfig& config, std::size_t connector) {
    return "connector " + quoted(config.connectors[connector].name) +
           ": its binds are reconnecting; the message waits";
}

}  // namespace router::story
