// docs/router.toml and docs/acceptance.toml: they run as they are, and the first has every key.
#include <set>
#include <sstream>

#include "apps/sms_router/config/ConfigTesting.h"
#include "sms_router/config/ConfigDocument.h"
#include "support/ProjectFile.h"

namespace router {
namespace {

using namespace configtesting;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

ConfigReading example(const std::string& name, const Settings& settings = {}) {
    return readConfig(support::projectFile("docs/" + name), settings);
}

// "#key = ..." and "#[table]" as if they were set.
std::string uncommented(const std::string& toml) {
    std::istringstream lines(toml);
    std::string text;
    for (std::string line; std::getline(lines, line);) {
        const bool isKey = line.size() > 1 && line[0] == '#' &&
                           (line[1] == '[' || (line[1] >= 'a' && line[1] <= 'z'));
        text += (isKey ? line.substr(1) : line) + "\n";
    }
    return text;
}

// The names that a file chooses, as a star.
bool holdsNames(const std::string& path) {
    return path == "listener" || path == "account" || path == "connector" || path == "group";
}

void addKeys(const toml::node& node, const std::string& path, std::set<std::string>& keys) {
    if (const auto* array = node.as_array()) {
        for (const toml::node& element : *array) addKeys(element, path, keys);
    }
    const auto* table = node.as_table();
    if (table == nullptr) return;
    for (const auto& entry : *table) {
        const std::string key(entry.first.str());
        const std::string inner = path.empty() ? key : path + "." + (holdsNames(path) ? "*" : key);
        if (!holdsNames(path)) keys.insert(inner);
        addKeys(entry.second, inner, keys);
    }
}

std::string listedDifference(const std::set<std::string>& some,
                             const std::set<std::string>& others) {
    std::string text;
    for (const std::string& key : some) text += others.contains(key) ? "" : key + "\n";
    return text;
}

TEST(ExampleConfig, RunsAsItIs) {
    const ConfigReading reading = example("router.toml");
    EXPECT_EQ(mistakesOf(reading), "");
    EXPECT_THAT(reading.warnings, IsEmpty());
    ASSERT_TRUE(reading.config);
    const RouterConfig& config = *reading.config;
    ASSERT_EQ(config.listeners.size(), 1u);
    EXPECT_EQ(config.listeners[0].host, "127.0.0.1");
    EXPECT_EQ(config.listeners[0].port, 2775);
    EXPECT_EQ(config.accounts.size(), 2u);
    ASSERT_EQ(config.connectors.size(), 1u);
    EXPECT_EQ(config.connectors[0].port, 2776);
    EXPECT_EQ(config.admin.host, "127.0.0.1");
    EXPECT_EQ(config.admin.port, 8775);
    EXPECT_THAT(config.store.path, Not(testing::StartsWith("/")));
    EXPECT_THAT(config.records.path, Not(testing::StartsWith("/")));
}

TEST(ExampleConfig, HasEveryKeyThatTheReaderKnowsAndNoOther) {
    Findings findings;
    const auto document =
        readDocument(uncommented(support::projectFile("docs/router.toml")), {}, findings);
    ASSERT_TRUE(document) << findings.mistakes()[0].line << findings.mistakes()[0].what;
    (void)readWhole(*document, findings);
    std::set<std::string> written;
    addKeys(*document, "", written);
    // Both kinds of rewriting have the same keys.
    const auto normal = [](const std::set<std::string>& keys) {
        std::set<std::string> normalised;
        for (std::string key : keys) {
            const std::size_t at = key.find("rewrite_destination.");
            if (at != std::string::npos) key.replace(at, 19, "rewrite_source");
            normalised.insert(key);
        }
        return normalised;
    };
    EXPECT_EQ(listedDifference(normal(findings.keys()), normal(written)), "");
    EXPECT_EQ(listedDifference(normal(written), normal(findings.keys())), "");
    EXPECT_GE(written.size(), 100u);
}

// The lines "#key = ..." of the tables that are there, but for the keys named.
Settings settingsThatAreNotSet(const std::string& toml, const std::set<std::string>& without) {
    const std::set<std::string> sections{"[router]",        "[connector.smsc]", "[account.esme1]",
                                         "[listener.esme]", "[store]",          "[admin]",
                                         "[records]"};
    std::istringstream lines(toml);
    std::string section;
    Settings settings;
    for (std::string line; std::getline(lines, line);) {
        if (line.starts_with('[') || line.starts_with("#[")) section = line;
        const std::size_t equals = line.find(" = ");
        if (!sections.contains(section) || equals == std::string::npos || line[0] != '#') continue;
        const std::string key = line.substr(1, equals - 1);
        if (without.contains(key) || key.find(' ') != std::string::npos) continue;
        settings.push_back(section.substr(1, section.size() - 2) + "." + key + "=" +
                           line.substr(equals + 3));
    }
    return settings;
}

TEST(ExampleConfig, MayHaveAnyOneOfTheKeysSetThatItDoesNotSet) {
    const std::string toml = support::projectFile("docs/router.toml");
    const std::set<std::string> needFilesOrAHash{"tls", "token_file", "password_hash",
                                                 "price_list"};
    for (const std::string& setting : settingsThatAreNotSet(toml, needFilesOrAHash)) {
        EXPECT_EQ(mistakesOf(readConfig(toml, {setting})), "") << setting;
    }
}

// "#threads = 0" says that 0 is the default: setting it changes nothing.
TEST(ExampleConfig, NamesTheDefaults) {
    const std::string toml = support::projectFile("docs/router.toml");
    const ConfigReading before = readConfig(toml, {});
    ASSERT_TRUE(before.config) << mistakesOf(before);
    const RouterConfig& plain = *before.config;
    const Settings settings = settingsThatAreNotSet(
        toml, {"tls", "password_hash", "allowed_from", "token", "token_file", "price_list"});
    EXPECT_GE(settings.size(), 35u);
    const ConfigReading reading = readConfig(toml, settings);
    ASSERT_TRUE(reading.config) << mistakesOf(reading);
    const RouterConfig& set = *reading.config;
    EXPECT_EQ(set.router.threads, plain.router.threads);
    EXPECT_EQ(set.router.selector, plain.router.selector);
    EXPECT_EQ(set.router.maxPduBytes, plain.router.maxPduBytes);
    EXPECT_EQ(set.router.maxUnboundPduBytes, plain.router.maxUnboundPduBytes);
    EXPECT_EQ(set.listeners[0].maxConnections, plain.listeners[0].maxConnections);
    const AccountConfig& account = set.accounts[0];
    const AccountConfig& plainAccount = plain.accounts[0];
    EXPECT_TRUE(account.mayTransmit && account.mayReceive && account.mayTransceive);
    EXPECT_EQ(account.maxBinds, plainAccount.maxBinds);
    EXPECT_EQ(account.window, plainAccount.window);
    EXPECT_EQ(account.readAhead, plainAccount.readAhead);
    EXPECT_EQ(account.deliverWindow, plainAccount.deliverWindow);
    EXPECT_EQ(account.messagesPerSecond, plainAccount.messagesPerSecond);
    EXPECT_EQ(account.keep.messages, plainAccount.keep.messages);
    EXPECT_EQ(account.keep.bytes, plainAccount.keep.bytes);
    EXPECT_EQ(account.keep.time, plainAccount.keep.time);
    const ConnectorConfig& connector = set.connectors[0];
    const ConnectorConfig& plainConnector = plain.connectors[0];
    EXPECT_EQ(connector.bind.systemType, plainConnector.bind.systemType);
    EXPECT_EQ(connector.bind.addressRange, plainConnector.bind.addressRange);
    EXPECT_EQ(connector.bind.addressTon, plainConnector.bind.addressTon);
    EXPECT_EQ(connector.bind.addressNpi, plainConnector.bind.addressNpi);
    EXPECT_EQ(connector.bind.interfaceVersion, plainConnector.bind.interfaceVersion);
    EXPECT_EQ(connector.bind.transceivers, plainConnector.bind.transceivers);
    EXPECT_EQ(connector.smsc, plainConnector.smsc);
    EXPECT_EQ(connector.bind.transmitters, plainConnector.bind.transmitters);
    EXPECT_EQ(connector.bind.receivers, plainConnector.bind.receivers);
    EXPECT_EQ(connector.window, plainConnector.window);
    EXPECT_EQ(connector.queue, plainConnector.queue);
    EXPECT_EQ(connector.queueTime, plainConnector.queueTime);
    EXPECT_EQ(connector.adapts(), plainConnector.adapts());
    EXPECT_EQ(connector.messagesPerSecond, plainConnector.messagesPerSecond);
    EXPECT_EQ(connector.timers.enquireLink, plainConnector.timers.enquireLink);
    EXPECT_EQ(connector.timers.response, plainConnector.timers.response);
    EXPECT_EQ(connector.timers.connectTimeout, plainConnector.timers.connectTimeout);
    EXPECT_EQ(connector.timers.reconnectFirst, plainConnector.timers.reconnectFirst);
    EXPECT_EQ(connector.timers.reconnectMax, plainConnector.timers.reconnectMax);
    EXPECT_EQ(connector.cost, plainConnector.cost);
    EXPECT_EQ(connector.weight, plainConnector.weight);
    EXPECT_EQ(set.store.maxIds, plain.store.maxIds);
    EXPECT_EQ(set.store.idsFor, plain.store.idsFor);
    EXPECT_EQ(set.admin.enabled, plain.admin.enabled);
    EXPECT_EQ(set.admin.host, plain.admin.host);
    EXPECT_EQ(set.records.maskAddresses, plain.records.maskAddresses);
}

TEST(AggregatorConfig, HasWhatItsDocumentDescribes) {
    const std::string here = "/etc/sms-router/";
    std::string toml = support::projectFile("docs/aggregator.toml");
    for (const char* file : {"cert.pem", "key.pem"}) {
        toml.replace(toml.find(here + file), here.size() + std::string(file).size(), "/dev/null");
    }
    const std::string token = "token_file = \"" + here + "token\"";
    toml.replace(toml.find(token), token.size(), "token = \"sixteen-letters-\"");
    const ConfigReading reading = readConfig(toml, {});
    EXPECT_EQ(mistakesOf(reading), "");
    EXPECT_THAT(reading.warnings, IsEmpty());
    ASSERT_TRUE(reading.config);
    EXPECT_EQ(reading.config->accounts.size(), 20u);
    std::set<std::string> smscs;
    for (const ConnectorConfig& each : reading.config->connectors) {
        smscs.insert(each.smsc.empty() ? each.name : each.smsc);
    }
    EXPECT_EQ(smscs, (std::set<std::string>{"north", "south", "transit"}));
    EXPECT_EQ(reading.config->groups.at(0).tiers.size(), 3u);
    EXPECT_EQ(reading.config->groups.at(0).overflowAfter, std::chrono::seconds(2));
    EXPECT_TRUE(reading.config->listeners.at(0).tls);
    EXPECT_TRUE(reading.config->connectors.back().tls);
}

TEST(AcceptanceConfig, IsWhatItSays) {
    const ConfigReading reading = example("acceptance.toml");
    EXPECT_EQ(mistakesOf(reading), "");
    EXPECT_THAT(reading.warnings, IsEmpty());
    ASSERT_TRUE(reading.config);
    const RouterConfig& config = *reading.config;
    EXPECT_EQ(config.listeners.at(0).port, 2775);
    EXPECT_TRUE(config.accounts.at(0).password.check("secret1"));
    EXPECT_TRUE(config.accounts.at(1).password.check("secret2"));
    EXPECT_EQ(config.accounts[0].numbers.at(0).text(), "12345");
    EXPECT_EQ(config.accounts[1].numbers.at(0).text(), "54321");
    EXPECT_EQ(config.connectors.at(0).name, "smsc");
    EXPECT_EQ(config.connectors[0].bind.systemId, "router");
    EXPECT_EQ(config.connectors[0].bind.password, "secret");
    EXPECT_EQ(config.connectors[0].bind.transceivers, 1u);
    EXPECT_EQ(config.routes.at(0).connector, 0u);
    EXPECT_EQ(config.store.durability, Durability::commit);
}

TEST(AcceptanceConfig, TakesTheSettingsThatItNames) {
    const ConfigReading reading =
        example("acceptance.toml", {"listener.esme.port=2800", "connector.smsc.host=10.0.0.1",
                                    "connector.smsc.port=2801", "store.path=/tmp/a.db"});
    ASSERT_TRUE(reading.config) << mistakesOf(reading);
    EXPECT_EQ(reading.config->listeners[0].port, 2800);
    EXPECT_EQ(reading.config->connectors[0].host, "10.0.0.1");
    EXPECT_EQ(reading.config->connectors[0].port, 2801);
    EXPECT_EQ(reading.config->store.path, "/tmp/a.db");
}

}  // namespace
}  // namespace router
