#include "sms_router/routing/RouteMatch.h"

#include <algorithm>

namespace router {

namespace {

template <typename Values, typename Value>
bool allows(const Values& values, const Value& value) {
    return values.empty() || std::find(values.begin(), values.end(), value) != values.end();
}

}  // namespace

bool permits(const std::vector<AddressPattern>& patterns, const AddressForms& address,
             AddressForms::Choice choice) {
    return patterns.empty() ||
           std::any_of(patterns.begin(), patterns.end(), [&](const AddressPattern& pattern) {
               return address.match(pattern, choice);
           });
}

bool permitsLists(const AccountConfig& account, const RouterConfig& config) {
    if (account.distributionLists) return *account.distributionLists;
    if (!account.destinations.empty() || account.digitsOnly) return false;
    const auto rejectsSome = [](const RouteConfig& route) {
        return route.reject && !route.destinations.empty();
    };
    // The name of a list may begin like a number that a route is for.
    const auto takesAll = [&](const RouteConfig& route) {
        return !route.reject && route.destinations.empty() &&
               allows(route.accounts, account.systemId);
    };
    return std::ranges::none_of(config.routes, rejectsSome) &&
           std::ranges::any_of(config.routes, takesAll);
}

std::optional<Condition> failing(const RouteConfig& route, const MessageFacts& facts,
                                 const MessageForms& forms, LocalClock& clock) {
    using enum AddressForms::Choice;
    const bool rejects = route.reject.has_value();
    if (!permits(route.destinations, forms.destination, rejects ? noNumbersToo : usual))
        return Condition::destination;
    if (!permits(route.sources, forms.source, rejects ? doubtfulToo : usual))
        return Condition::source;
    if (!allows(route.accounts, facts.account)) return Condition::account;
    if (!allows(route.serviceTypes, facts.serviceType)) return Condition::serviceType;
    if (!allows(route.dataCodings, facts.dataCoding)) return Condition::dataCoding;
    if (route.time && !contains(*route.time, clock.at(facts.time))) return Condition::time;
    return std::nullopt;
}

std::optional<Condition> failing(const MoRouteConfig& route, std::size_t connector,
                                 const AddressForms& source, const AddressForms& destination) {
    if (!allows(route.connectors, connector)) return Condition::connector;
    if (!permits(route.destinations, destination)) return Condition::destination;
    if (!permits(route.sources, source)) return Condition::source;
    return std::nullopt;
}

}  // namespace router
