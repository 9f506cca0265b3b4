#include "sms_router/config/ConfigChecks.h"

#include <algorithm>
#include <map>

namespace router {

namespace {

void checkListeners(const RouterConfig& config, Findings& findings) {
    if (config.listeners.empty()) findings.mistake(0, "there is no [listener.NAME]");
    std::map<std::string, std::string> names;
    for (const ListenerConfig& listener : config.listeners) {
        const std::string self = "listener." + listener.name;
        const std::string where = listener.host + ":" + std::to_string(listener.port);
        const auto [other, isNew] = names.emplace(where, self);
        if (isNew || listener.port == 0) continue;
        findings.mistake(findings.lineOf(self), self + ": " + other->second + " has " + where);
    }
    for (const ConnectorConfig& connector : config.connectors) {
        const std::string& where = connector.outbindListen;
        const std::string self = "connector." + connector.name;
        if (where.empty() || where.ends_with(":0")) continue;
        const auto [other, isNew] = names.emplace(where, self);
        if (isNew) continue;
        findings.mistake(findings.lineOf(self), self + ": " + other->second + " has " + where);
    }
}

void checkNumbers(const RouterConfig& config, Findings& findings) {
    std::map<std::string, std::string> owners;
    for (const AccountConfig& account : config.accounts) {
        const std::string self = "account." + account.systemId;
        for (const AddressPattern& number : account.numbers) {
            const auto [owner, isNew] = owners.emplace(number.text(), self);
            if (isNew) continue;
            findings.mistake(findings.lineOf(self),
                             self + ".numbers: " + owner->second + " has '" + number.text() + "'");
        }
    }
}

bool takesEverything(const RouteConfig& route) {
    return route.destinations.empty() && route.sources.empty() && route.accounts.empty() &&
           route.serviceTypes.empty() && route.dataCodings.empty() && !route.time;
}

void checkRoutes(const RouterConfig& config, Findings& findings) {
    for (const RouteConfig& route : config.routes) {
        if (&route == &config.routes.back() || !takesEverything(route)) continue;
        findings.warning(route.line,
                         "route '" + route.name + "' takes everything: those after it never match");
        return;
    }
}

void checkReceivers(const RouterConfig& config, Findings& findings) {
    const auto sends = [&](std::size_t connector) { return config.connectors[connector].sends(); };
    const auto tierSends = [&](const auto& tier) {
        return std::any_of(tier.begin(), tier.end(), sends);
    };
    for (const RouteConfig& route : config.routes) {
        bool any = !route.connector || sends(*route.connector);
        if (route.group) {
            const auto& tiers = config.groups[*route.group].tiers;
            any = std::any_of(tiers.begin(), tiers.end(), tierSends);
        }
        if (any) continue;
        findings.warning(route.line, "route '" + route.name + "' leads to receivers only: every " +
                                         "message of it will be refused");
    }
}

void warnOfWhatIsMissing(const RouterConfig& config, Findings& findings) {
    if (config.accounts.empty()) findings.warning(0, "there is no account: nobody can bind");
    if (config.connectors.empty()) {
        findings.warning(0, "there is no connector: every message will be refused");
    } else if (config.routes.empty()) {
        findings.warning(0, "there is no route: every message will be refused");
    }
}

}  // namespace

void checkWhole(const RouterConfig& config, Findings& findings) {
    checkListeners(config, findings);
    checkNumbers(config, findings);
    checkRoutes(config, findings);
    if (findings.mistakes().empty()) checkReceivers(config, findings);
    warnOfWhatIsMissing(config, findings);
}

}  // namespace router
