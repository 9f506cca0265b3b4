#include "sms_router/config/RouteReader.h"

#include "sms_router/config/ConfigLimits.h"

namespace router {

namespace {

std::string readName(TomlTable& table, const std::string& standard) {
    std::string name = standard;
    if (table.text("name", name) && name.empty()) table.mistake("name", "is empty");
    return name;
}

// An empty array is no condition to match by, but looks like one.
void refuseEmpty(TomlTable& table, std::initializer_list<std::string_view> keys) {
    for (const std::string_view key : keys) {
        if (table.isEmptyArray(key)) table.mistake(key, "is empty: nothing would match");
    }
}

std::vector<std::string> readServiceTypes(TomlTable& table) {
    constexpr std::string_view key = "service_types";
    std::vector<std::string> types;
    for (const TomlText& text : table.texts(key)) {
        if (text.text.size() > limits::serviceType) {
            table.mistakeAt(text.line, key, "'" + text.text + "' is longer than 5 octets");
        }
        types.push_back(text.text);
    }
    return types;
}

std::vector<std::uint8_t> readDataCodings(TomlTable& table) {
    std::vector<std::uint8_t> codings;
    for (const std::uint64_t coding : table.counts("data_codings", 0, 255)) {
        codings.push_back(static_cast<std::uint8_t>(coding));
    }
    return codings;
}

std::uint8_t readDays(TomlTable& table) {
    unsigned days = 0;
    for (const TomlText& text : table.texts("days")) {
        const auto some = parseDays(text.text);
        if (!some) {
            table.mistakeAt(text.line, "days", "'" + text.text + "' is not a day, such as mon-fri");
        }
        days |= some.value_or(0);
    }
    return static_cast<std::uint8_t>(days);
}

std::optional<TimeOfDay> readTime(TomlTable& table) {
    std::optional<TimeOfDay> time;
    std::string text;
    if (table.text("time", text)) {
        time = parseTimes(text);
        if (!time)
            table.mistake("time", "'" + text + "' is not a time of day, such as 08:00-20:00");
    }
    if (table.has("days")) {
        if (!time) time.emplace();
        time->days = readDays(table);
    }
    return time;
}

AddressRewrite readRewrite(TomlTable& table, std::string_view key, bool rejects) {
    AddressRewrite rewrite;
    table.table(key, [&](TomlTable& inner) {
        readPduText(inner, "strip_prefix", rewrite.stripPrefix, limits::address);
        readPduText(inner, "add_prefix", rewrite.addPrefix, limits::address);
        readOctet(inner, "ton", rewrite.ton);
        readOctet(inner, "npi", rewrite.npi);
        readPduText(inner, "replace_by", rewrite.replaceBy, limits::address);
        const bool prefixes = inner.has("strip_prefix") || inner.has("add_prefix");
        if (prefixes && inner.has("replace_by")) {
            inner.mistake("replace_by", "would leave an empty address");
        }
    });
    if (rejects && table.has(key)) table.mistake(key, "is never used: the route rejects");
    return rewrite;
}

}  // namespace

RouteReader::RouteReader(const RouterConfig& config) : config_(config) {
    for (const GroupConfig& group : config.groups) groups_.emplace(group.name, groups_.size());
}

RouteConfig RouteReader::readRoute(TomlTable& table, std::size_t number) const {
    RouteConfig route;
    route.name = readName(table, "route-" + std::to_string(number));
    route.line = table.line();
    route.destinations = readPatterns(table, "destinations");
    route.sources = readPatterns(table, "sources");
    route.accounts = readAccounts(table);
    route.serviceTypes = readServiceTypes(table);
    route.dataCodings = readDataCodings(table);
    route.time = readTime(table);
    refuseEmpty(table,
                {"destinations", "sources", "accounts", "service_types", "data_codings", "days"});
    readTarget(table, route);
    route.rewriteSource = readRewrite(table, "rewrite_source", route.reject.has_value());
    route.rewriteDestination = readRewrite(table, "rewrite_destination", route.reject.has_value());
    return route;
}

void RouteReader::readTarget(TomlTable& table, RouteConfig& route) const {
    const int targets = static_cast<int>(table.has("connector")) +
                        static_cast<int>(table.has("group")) +
                        static_cast<int>(table.has("reject"));
    if (targets == 0) table.mistake("has neither connector nor group nor reject");
    if (targets > 1) table.mistake("has more than one of connector, group and reject");
    route.connector = readReference(table, "connector", "connector", config_.connectorByName);
    route.group = readReference(table, "group", "group", groups_);
    if (table.has("reject")) readStatus(table, "reject", route.reject.emplace());
}

std::vector<std::string> RouteReader::readAccounts(TomlTable& table) const {
    std::vector<std::string> accounts;
    for (const TomlText& name : table.texts("accounts")) {
        (void)find(table, "accounts", name, "account", config_.accountByName);
        accounts.push_back(name.text);
    }
    return accounts;
}

MoRouteConfig RouteReader::readMo(TomlTable& table, std::size_t number) const {
    MoRouteConfig route;
    route.name = readName(table, "mo-" + std::to_string(number));
    route.line = table.line();
    route.destinations = readPatterns(table, "destinations");
    route.sources = readPatterns(table, "sources");
    for (const TomlText& name : table.texts("connectors")) {
        const auto found = find(table, "connectors", name, "connector", config_.connectorByName);
        if (found) route.connectors.push_back(*found);
    }
    refuseEmpty(table, {"destinations", "sources", "connectors"});
    if (!table.has("account")) table.mistake("has no account");
    const auto account = readReference(table, "account", "account", config_.accountByName);
    route.account = account.value_or(0);
    return route;
}

}  // namespace router
