#include "sms_router/config/ConfigDocument.h"

#include <algorithm>
#include <map>

#include <nio/sys/SocketAddress.h>

#include "sms_router/config/ConfigLimits.h"

namespace router {

namespace {

// Who listens where.
class Doors {
  public:
    explicit Doors(Findings& findings) : findings_(findings) {}

    // `isNeeded`: without it there is no start.
    void add(const std::string& self, const nio::Result<nio::SocketAddress>& where,
             bool isNeeded = true) {
        // What is no address is a mistake of its own; 0 is a free port.
        if (!where || where.value().port() == 0) return;
        const auto other = std::find_if(doors_.begin(), doors_.end(), [&](const auto& door) {
            return clash(door.second, where.value());
        });
        if (other != doors_.end()) {
            const std::string what =
                self + ": " + other->first + " has " + other->second.toString();
            const int line = findings_.lineOf(self);
            const bool isSame = other->second == where.value();
            isNeeded || isSame ? findings_.mistake(line, what) : findings_.warning(line, what);
        }
        doors_.emplace_back(self, where.value());
    }

  private:
    static bool isAll(const nio::SocketAddress& address) {
        return address.host() == "0.0.0.0" || address.host() == "::";
    }
    static bool clash(const nio::SocketAddress& a, const nio::SocketAddress& b) {
        if (a.port() != b.port() || a.family() != b.family()) return false;
        return a == b || isAll(a) || isAll(b);
    }

    Findings& findings_;
    std::vector<std::pair<std::string, nio::SocketAddress>> doors_;
};

void checkListeners(const RouterConfig& config, Findings& findings) {
    if (config.listeners.empty()) findings.mistake(0, "no [listener.NAME] is configured");
    Doors doors(findings);
    for (const ListenerConfig& listener : config.listeners) {
        doors.add("listener." + listener.name,
                  nio::SocketAddress::numeric(listener.host, listener.port));
    }
    for (const ConnectorConfig& connector : config.connectors) {
        doors.add("connector." + connector.name, nio::SocketAddress::parse(connector.outbindListen),
                  false);
    }
    if (config.admin.enabled) {
        doors.add("admin", nio::SocketAddress::numeric(config.admin.host, config.admin.port));
    }
    if (config.http) {
        doors.add("http", nio::SocketAddress::numeric(config.http->host, config.http->port));
    }
}

void checkCounts(const RouterConfig& config, Findings& findings) {
    if (config.connectors.size() <= limits::connectors) return;
    findings.mistake(0, "too many connectors: " + std::to_string(config.connectors.size()) +
                            "; the maximum is " + std::to_string(limits::connectors));
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

bool takesEverything(const MoRouteConfig& route) {
    return route.destinations.empty() && route.sources.empty() && route.connectors.empty();
}

template <class Route>
void checkOrder(const std::vector<Route>& routes, const std::string& kind, Findings& findings) {
    for (const Route& route : routes) {
        if (&route == &routes.back() || !takesEverything(route)) continue;
        findings.warning(route.line, kind + " '" + route.name +
                                         "' matches everything: later ones are never used");
        return;
    }
}

void checkSmscs(const RouterConfig& config, Findings& findings) {
    std::map<std::string, unsigned> connectors;
    for (const ConnectorConfig& connector : config.connectors) ++connectors[connector.smsc];
    for (const ConnectorConfig& connector : config.connectors) {
        if (connector.smsc.empty() || connectors[connector.smsc] > 1) continue;
        const std::string self = "connector." + connector.name;
        findings.warning(findings.lineOf(self),
                         self + ".smsc: no other connector has '" + connector.smsc + "'");
    }
}

// An SMSC sends the receipts of a system_id by any of its binds.
void checkSystemIds(const RouterConfig& config, Findings& findings) {
    std::map<std::string, const ConnectorConfig*> first;
    for (const ConnectorConfig& connector : config.connectors) {
        const auto [other, isNew] = first.emplace(connector.bind.systemId, &connector);
        const ConnectorConfig& its = *other->second;
        if (isNew || (!connector.smsc.empty() && !its.smsc.empty())) continue;
        const std::string self = "connector." + connector.name;
        findings.warning(findings.lineOf(self),
                         self + ".system_id: connector '" + its.name +
                             "' has the same; if both bind to one SMSC, give them the same " +
                             "smsc, or its receipts find no message");
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
        findings.warning(route.line,
                         "route '" + route.name +
                             "' has only connectors without a transmitting bind: every " +
                             "message of it will be refused");
    }
}

void warnOfWhatIsMissing(const RouterConfig& config, Findings& findings) {
    if (config.accounts.empty()) findings.warning(0, "no account is configured: no ESME can bind");
    if (config.connectors.empty()) {
        findings.warning(0, "no connector is configured: every message will be refused");
    } else if (config.routes.empty()) {
        findings.warning(0, "no route is configured: every message will be refused");
    }
}

}  // namespace

void checkWhole(const RouterConfig& config, Findings& findings) {
    checkListeners(config, findings);
    checkCounts(config, findings);
    checkNumbers(config, findings);
    checkOrder(config.routes, "route", findings);
    checkOrder(config.moRoutes, "mo", findings);
    checkSmscs(config, findings);
    checkSystemIds(config, findings);
    if (findings.mistakes().empty()) checkReceivers(config, findings);
    warnOfWhatIsMissing(config, findings);
}

}  // namespace router
