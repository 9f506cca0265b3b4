#include "sms_router/config/ConfigDocument.h"

#include "sms_router/config/NamedSections.h"
#include "sms_router/config/RouteReader.h"
#include "sms_router/config/SectionReaders.h"

namespace router {

namespace {

void readSections(TomlTable& document, RouterConfig& config) {
    document.table("router", [&](TomlTable& table) { readRouter(table, config.router); });
    document.table("numbers", [&](TomlTable& table) { readNumbers(table, config.numbers); });
    document.table("timers", [&](TomlTable& table) { readTimers(table, config.timers); });
    document.table("store", [&](TomlTable& table) { readStore(table, config.store); });
    document.table("admin", [&](TomlTable& table) { readAdmin(table, config.admin); });
    document.table("records", [&](TomlTable& table) { readRecords(table, config.records); });
    document.table("alarms", [&](TomlTable& table) { readAlarms(table, config.alarms); });
    document.table("http", [&](TomlTable& table) { readHttp(table, config.http.emplace()); });
}

// Of the last account.
void takeKeys(TomlTable& table, RouterConfig& config) {
    const std::size_t index = config.accounts.size() - 1;
    for (const std::string& key : config.accounts[index].http.keys) {
        const auto [other, isNew] = config.accountByKey.emplace(key, index);
        if (isNew) continue;
        table.mistake("api_keys",
                      "account '" + config.accounts[other->second].systemId + "' has the same key");
    }
}

void readNamed(TomlTable& document, RouterConfig& config) {
    document.tables("listener", [&](const std::string& name, TomlTable& table) {
        config.listeners.push_back(readListener(name, table));
    });
    document.tables("account", [&](const std::string& name, TomlTable& table) {
        config.accountByName.emplace(name, config.accounts.size());
        config.accounts.push_back(readAccount(name, table));
        takeKeys(table, config);
    });
    document.tables("connector", [&](const std::string& name, TomlTable& table) {
        config.connectorByName.emplace(name, config.connectors.size());
        config.connectors.push_back(readConnector(name, table));
    });
    document.tables("group", [&](const std::string& name, TomlTable& table) {
        config.groups.push_back(readGroup(name, table, config.connectorByName));
    });
}

// With one connector, there is no question where everything goes.
void addDefaultRoute(RouterConfig& config) {
    if (config.connectors.size() != 1) return;
    RouteConfig& route = config.routes.emplace_back();
    route.name = "default";
    route.connector = 0;
}

void readRoutes(TomlTable& document, RouterConfig& config) {
    const RouteReader reader(config);
    document.list("route", [&](TomlTable& table) {
        config.routes.push_back(reader.readRoute(table, config.routes.size() + 1));
    });
    document.list("mo", [&](TomlTable& table) {
        config.moRoutes.push_back(reader.readMo(table, config.moRoutes.size() + 1));
    });
    if (!document.has("route")) addDefaultRoute(config);
}

}  // namespace

RouterConfig readWhole(const toml::table& document, Findings& findings) {
    RouterConfig config;
    TomlTable table(document, findings);
    readSections(table, config);
    readNamed(table, config);
    readPriceList(config, findings);
    readRoutes(table, config);
    table.finish();
    checkWhole(config, findings);
    return config;
}

}  // namespace router
