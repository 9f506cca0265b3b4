#include "sms_router/config/ConfigReader.h"

#include <nio/loop/SelectorThreadOptions.h>

#include "apps/sms_router/config/ConfigTesting.h"

namespace router {
namespace {

using namespace configtesting;
using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(ConfigReader, LeavesWhatIsNotSaidAtItsDefault) {
    const RouterConfig config = read("");
    EXPECT_EQ(config.router.systemId, "nio");
    EXPECT_EQ(config.router.drainTimeout, 10s);
    EXPECT_EQ(config.router.exitTimeout, 10s);
    EXPECT_EQ(config.router.loginDelay, 1s);
    EXPECT_EQ(config.router.noRoute, smpp::Status::invDstAdr);
    EXPECT_FALSE(config.admin.enabled);
    EXPECT_TRUE(config.records.path.empty());
    EXPECT_EQ(config.store.durability, Durability::commit);
    EXPECT_EQ(config.accounts[0].maxBinds, 10u);
    EXPECT_TRUE(config.accounts[0].mayTransceive);
    EXPECT_EQ(config.connectors[0].bind.transceivers, 1u);
    EXPECT_EQ(config.connectors[0].bind.interfaceVersion, 0x34);
    EXPECT_FALSE(config.listeners[0].tls);
    EXPECT_EQ(config.listeners[0].keepAlive, 60s);
    EXPECT_EQ(config.connectors[0].timers.keepAlive, 60s);
    EXPECT_FALSE(config.router.memoryBudget) << "half of the memory";
    EXPECT_EQ(config.router.moderation, 350us);
    EXPECT_EQ(config.router.stallLimit, nio::SelectorThreadOptions().stallLimit);
    EXPECT_EQ(config.router.flightRecords, nio::SelectorThreadOptions().flightRecords);
}

TEST(ConfigReader, ReadsTheRouterAndTheTimers) {
    const RouterConfig config = read(R"(
[router]
system_id = "hub"
threads = 4
selector = "poll"
drain_timeout = "1500ms"
exit_timeout = "1s"
login_delay = 0
max_pdu_bytes = "64Ki"
max_unbound_pdu_bytes = "2Ki"
memory_budget = "32Mi"
moderation = "1ms"
stall_limit = "5ms"
flight_records = 64
no_route = "ESME_RX_P_APPN"
no_connector = "0x14"
link_lost = "rx_t_appn"
hold_receipts = 3
[timers]
session_init = "5s"
enquire_link = 0
inactivity = "2m"
response = 2.5
pdu_read = "250us"
)");
    EXPECT_EQ(config.router.systemId, "hub");
    EXPECT_EQ(config.router.threads, 4u);
    EXPECT_EQ(config.router.selector, nio::SelectorKind::poll);
    EXPECT_EQ(config.router.drainTimeout, 1500ms);
    EXPECT_EQ(config.router.exitTimeout, 1s);
    EXPECT_EQ(config.router.loginDelay, 0s);
    EXPECT_EQ(config.router.maxPduBytes, 65'536u);
    EXPECT_EQ(config.router.maxUnboundPduBytes, 2'048u);
    EXPECT_EQ(config.router.memoryBudget, 32u * 1024 * 1024);
    EXPECT_EQ(config.router.moderation, 1ms);
    EXPECT_EQ(config.router.stallLimit, 5ms);
    EXPECT_EQ(config.router.flightRecords, 64u);
    EXPECT_EQ(config.router.noRoute, smpp::Status::xPAppn);
    EXPECT_EQ(config.router.noConnector, smpp::Status::msgQFul);
    EXPECT_EQ(config.router.linkLost, smpp::Status::xTAppn);
    EXPECT_EQ(config.router.holdReceipts, 3s);
    EXPECT_EQ(config.timers.sessionInit, 5s);
    EXPECT_EQ(config.timers.enquireLink, 0s);
    EXPECT_EQ(config.timers.inactivity, 2min);
    EXPECT_EQ(config.timers.response, 2500ms);
    EXPECT_EQ(config.timers.pduRead, 1ms) << "what is not zero does not become zero";
}

TEST(ConfigReader, ReadsListeners) {
    const RouterConfig config = read(R"(
[listener.inner]
[listener.outer]
host = "::"
port = 0
max_connections = "10k"
max_connections_per_source = 20
tls = { certificate = "/dev/null", key = "/dev/zero" }
)");
    ASSERT_EQ(config.listeners.size(), 3u);
    EXPECT_EQ(config.listeners[0].name, "inner");
    EXPECT_EQ(config.listeners[0].host, "127.0.0.1");
    EXPECT_EQ(config.listeners[0].port, 2775);
    EXPECT_EQ(config.listeners[1].host, "::");
    EXPECT_EQ(config.listeners[1].port, 0);
    EXPECT_EQ(config.listeners[1].maxConnections, 10'000u);
    EXPECT_EQ(config.listeners[0].maxConnectionsPerSource, 0u);
    EXPECT_EQ(config.listeners[1].maxConnectionsPerSource, 20u);
    EXPECT_EQ(config.listeners[1].tls->certificate, "/dev/null");
    EXPECT_EQ(config.listeners[1].tls->key, "/dev/zero");
}

TEST(ConfigReader, ReadsAccounts) {
    const std::string hash = PasswordHash::of("other", PasswordHash::Cost::cheap).text();
    const RouterConfig config = read(R"(
[account.bob]
password_hash = ')" + hash + R"('
allowed_from = ["192.0.2.0/24", "::1"]
bind_types = ["receiver", "transmitter"]
max_binds = 3
window = 20
deliver_window = 5
messages_per_second = 12.5
sources = "4179*"
destinations = ["41*", "/^49/"]
numbers = ["12345"]
keep_messages = 0
keep_bytes = "1Mi"
keep_for = "2d"
)");
    const AccountConfig& bob = config.accounts[config.accountByName.at("bob")];
    EXPECT_EQ(bob.systemId, "bob");
    EXPECT_TRUE(bob.password.check("other"));
    ASSERT_EQ(bob.allowedFrom.size(), 2u);
    EXPECT_EQ(bob.allowedFrom[0].toString(), "192.0.2.0/24");
    EXPECT_TRUE(bob.mayReceive);
    EXPECT_TRUE(bob.mayTransmit);
    EXPECT_FALSE(bob.mayTransceive);
    EXPECT_EQ(bob.maxBinds, 3u);
    EXPECT_EQ(bob.window, 20u);
    EXPECT_EQ(bob.deliverWindow, 5u);
    EXPECT_EQ(bob.messagesPerSecond, 12.5);
    EXPECT_EQ(bob.sources.at(0).text(), "4179*");
    EXPECT_EQ(bob.destinations.at(1).text(), "/^49/");
    EXPECT_EQ(bob.numbers.at(0).text(), "12345");
    EXPECT_EQ(bob.keep.messages, 0u);
    EXPECT_EQ(bob.keep.bytes, 1'048'576u);
    EXPECT_EQ(bob.keep.time, 48h);
}

TEST(ConfigReader, KeepsAPlainPasswordHashedOnly) {
    const AccountConfig alice = read("").accounts[0];
    EXPECT_TRUE(alice.password.check("secret"));
    EXPECT_FALSE(alice.password.check("secret2"));
    EXPECT_THAT(alice.password.text(), testing::Not(HasSubstr("secret")));
}

TEST(ConfigReader, GivesAPlainPasswordTheSameHashWhenItIsReadAgain) {
    EXPECT_EQ(read("").accounts[0].password.text(), read("").accounts[0].password.text());
}

TEST(ConfigReader, ReadsConnectors) {
    const RouterConfig config = read(R"(
[connector.big]
smsc = "world"
host = "smsc.example"
port = 3550
tls = { authority = "/dev/null", server_name = "x.example", verify = false }
system_id = "me"
password = "pw"
system_type = "VMA"
address_range = "^41"
address_ton = 1
address_npi = 255
interface_version = "3.3"
transmitters = 2
receivers = 1
window = 50
queue = 0
queue_time = "1m"
messages_per_second = "1k"
enquire_link = 0
response = "3s"
connect_timeout = 4
keepalive = "2m"
reconnect_first = "100ms"
reconnect_max = "100ms"
cost = 0.05
weight = 7
concatenation = "sar"
[connector.called]
outbind_listen = "0.0.0.0:2780"
system_id = "me"
tls = { server_name = "caller.example" }
)");
    const ConnectorConfig& big = config.connectors[config.connectorByName.at("big")];
    EXPECT_EQ(big.name, "big");
    EXPECT_EQ(big.smsc, "world");
    EXPECT_EQ(big.host, "smsc.example");
    EXPECT_EQ(big.port, 3550);
    EXPECT_EQ(big.tls->authority, "/dev/null");
    EXPECT_EQ(big.tls->serverName, "x.example");
    EXPECT_FALSE(big.tls->verify);
    EXPECT_EQ(big.bind.systemId, "me");
    EXPECT_EQ(big.bind.password, "pw");
    EXPECT_EQ(big.bind.systemType, "VMA");
    EXPECT_EQ(big.bind.addressRange, "^41");
    EXPECT_EQ(big.bind.addressTon, 1);
    EXPECT_EQ(big.bind.addressNpi, 255);
    EXPECT_EQ(big.bind.interfaceVersion, 0x33);
    EXPECT_EQ(big.bind.transceivers, 0u) << "others are given";
    EXPECT_EQ(big.bind.transmitters, 2u);
    EXPECT_EQ(big.bind.receivers, 1u);
    EXPECT_EQ(big.window, 50u);
    EXPECT_EQ(big.queue, 0u);
    EXPECT_EQ(big.queueTime, 1min);
    EXPECT_EQ(big.messagesPerSecond, 1000);
    EXPECT_EQ(big.timers.enquireLink, 0s);
    EXPECT_EQ(big.timers.response, 3s);
    EXPECT_EQ(big.timers.connectTimeout, 4s);
    EXPECT_EQ(big.timers.keepAlive, 2min);
    EXPECT_EQ(big.timers.reconnectFirst, 100ms);
    EXPECT_EQ(big.timers.reconnectMax, 100ms);
    EXPECT_EQ(big.cost, 0.05);
    EXPECT_EQ(big.weight, 7u);
    EXPECT_EQ(big.concatenation, smpp::Marking::sar);
    const ConnectorConfig& called = config.connectors[config.connectorByName.at("called")];
    EXPECT_EQ(called.outbindListen, "0.0.0.0:2780");
    EXPECT_TRUE(called.tls && called.tls->verify);
    EXPECT_EQ(called.concatenation, smpp::Marking::header8);
}

TEST(ConfigReader, ReadsGroupsAsTiersOfConnectors) {
    const RouterConfig config = read(R"(
[group.flat]
members = ["two", "one"]
[group.steps]
tiers = [["one"], ["two"]]
balance = "fewest-outstanding"
)");
    ASSERT_EQ(config.groups.size(), 2u);
    EXPECT_THAT(config.groups[0].tiers, ElementsAre(ElementsAre(1, 0)));
    EXPECT_EQ(config.groups[0].balance, Balance::roundRobin);
    EXPECT_THAT(config.groups[1].tiers, ElementsAre(ElementsAre(0), ElementsAre(1)));
    EXPECT_EQ(config.groups[1].balance, Balance::fewestOutstanding);
}

TEST(ConfigReader, ReadsRoutesInTheirOrder) {
    const RouterConfig config = read(R"([[route]]
name = "swiss"
destinations = ["41*", "0041*"]
sources = "12345"
accounts = "alice"
service_types = ["", "CMT"]
data_codings = [0, 8]
time = "22:00-06:00"
days = ["mon-wed", "sun"]
group = "all"
rewrite_source = { replace_by = "12345", ton = 0, npi = 1 }
rewrite_destination = { strip_prefix = "00", add_prefix = "+" }
[[route]]
reject = "ESME_RINVDSTADR"
[group.all]
members = ["one"]
)");
    ASSERT_EQ(config.routes.size(), 2u);
    const RouteConfig& swiss = config.routes[0];
    EXPECT_EQ(swiss.name, "swiss");
    EXPECT_EQ(swiss.line, 1);
    EXPECT_EQ(swiss.destinations.at(1).text(), "0041*");
    EXPECT_EQ(swiss.sources.at(0).text(), "12345");
    EXPECT_THAT(swiss.accounts, ElementsAre("alice"));
    EXPECT_THAT(swiss.serviceTypes, ElementsAre("", "CMT"));
    EXPECT_THAT(swiss.dataCodings, ElementsAre(0, 8));
    EXPECT_EQ(swiss.time->from, 22h);
    EXPECT_EQ(swiss.time->to, 6h);
    EXPECT_EQ(swiss.time->days, 0b1000111);
    EXPECT_EQ(swiss.group, 0u);
    EXPECT_FALSE(swiss.connector);
    EXPECT_EQ(swiss.rewriteSource.replaceBy, "12345");
    EXPECT_EQ(swiss.rewriteSource.ton, 0);
    EXPECT_EQ(swiss.rewriteSource.npi, 1);
    EXPECT_EQ(swiss.rewriteDestination.stripPrefix, "00");
    EXPECT_EQ(swiss.rewriteDestination.addPrefix, "+");
    EXPECT_FALSE(swiss.rewriteDestination.ton);
    EXPECT_EQ(config.routes[1].name, "route-2");
    EXPECT_EQ(config.routes[1].reject, smpp::Status::invDstAdr);
}

TEST(ConfigReader, ReadsWhereMessagesFromConnectorsGo) {
    const RouterConfig config = read(R"([[mo]]
destinations = "123*"
sources = "49*"
connectors = ["two"]
account = "alice"
)");
    ASSERT_EQ(config.moRoutes.size(), 1u);
    EXPECT_EQ(config.moRoutes[0].name, "mo-1");
    EXPECT_EQ(config.moRoutes[0].destinations.at(0).text(), "123*");
    EXPECT_EQ(config.moRoutes[0].sources.at(0).text(), "49*");
    EXPECT_THAT(config.moRoutes[0].connectors, ElementsAre(1));
    EXPECT_EQ(config.moRoutes[0].account, 0u);
}

TEST(ConfigReader, ReadsStoreAdminAndRecords) {
    const RouterConfig config = read(R"(
[store]
durability = "memory"
path = "/var/lib/x.db"
max_ids = "1M"
ids_for = "1d"
[admin]
host = "::1"
port = 0
token = "abc"
[records]
path = "x.jsonl"
mask_addresses = true
)");
    EXPECT_EQ(config.store.durability, Durability::memory);
    EXPECT_EQ(config.store.path, "/var/lib/x.db");
    EXPECT_EQ(config.store.maxIds, 1'000'000u);
    EXPECT_EQ(config.store.idsFor, 24h);
    EXPECT_TRUE(config.admin.enabled);
    EXPECT_EQ(config.admin.host, "::1");
    EXPECT_EQ(config.admin.port, 0);
    EXPECT_EQ(config.admin.token, "abc");
    EXPECT_EQ(config.records.path, "x.jsonl");
    EXPECT_TRUE(config.records.maskAddresses);
}

TEST(ConfigReader, HasAnAdminInterfaceOnceThereIsATableForIt) {
    const AdminConfig admin = read("[admin]\n").admin;
    EXPECT_TRUE(admin.enabled);
    EXPECT_EQ(admin.host, "127.0.0.1");
    EXPECT_EQ(admin.port, 8775);
    EXPECT_FALSE(read("[admin]\nenabled = false\nhost = \"0.0.0.0\"\n").admin.enabled);
}

constexpr const char* oneConnector = R"(
[listener.esme]
[account.a]
password = "x"
[connector.only]
host = "h"
system_id = "s"
)";

TEST(ConfigReader, WithoutRoutesAllGoesToTheOnlyConnector) {
    const ConfigReading reading = readConfig(oneConnector, {});
    ASSERT_TRUE(reading.config) << mistakesOf(reading);
    ASSERT_EQ(reading.config->routes.size(), 1u);
    EXPECT_EQ(reading.config->routes[0].name, "default");
    EXPECT_EQ(reading.config->routes[0].connector, 0u);
    EXPECT_THAT(reading.warnings, IsEmpty());
}

TEST(ConfigReader, LeavesTheRoutesAloneWhenThereIsOneOrMoreConnectors) {
    const auto routed = readConfig(std::string(oneConnector) + "[[route]]\nreject = '8'", {});
    ASSERT_EQ(routed.config->routes.size(), 1u);
    EXPECT_TRUE(routed.config->routes[0].reject);
    EXPECT_THAT(read("").routes, IsEmpty());
}

TEST(ConfigReader, ReadsATimeInAnyUnitUpToItsLimit) {
    const std::string account = "[listener.x]\n[account.a]\npassword='x'\n";
    for (const char* const time : {"'720h'", "'30d'", "2592000", "'2592000s'"}) {
        const ConfigReading reading = readConfig(account + "keep_for = " + time, {});
        ASSERT_TRUE(reading.config) << mistakesOf(reading);
        EXPECT_EQ(reading.config->accounts[0].keep.time, std::chrono::hours(720)) << time;
    }
    const auto mistakes = [&](const std::string& time) {
        return mistakesOf(readConfig(account + "keep_for = " + time, {}));
    };
    for (const char* const time : {"'1M'", "'1kd'", "'100000d'", "1e18"})
        EXPECT_THAT(mistakes(time), HasSubstr("is not a time")) << time;
    for (const char* const time : {"'91d'", "7862400", "'367d'"})
        EXPECT_THAT(mistakes(time), HasSubstr(" is out of range: 1s to 90d")) << time;
}

TEST(ConfigReader, DoesNotTakeATimeNearZeroForZero) {
    for (const char* const time : {"1e-12", "'1e-12'", "'0.1ns'"})
        EXPECT_EQ(read("[timers]\npdu_read = " + std::string(time)).timers.pduRead, 1ms) << time;
    EXPECT_EQ(read("[timers]\npdu_read = 0.0").timers.pduRead, 0ms);
}

TEST(ConfigReader, ReadsAFileAndSaysWhyItCannot) {
    EXPECT_THAT(mistakesOf(readConfigFile("/nowhere/x.toml", {})),
                "f: No such file or directory\n");
    EXPECT_THAT(mistakesOf(readConfigFile("/", {})), HasSubstr("f: "));
    EXPECT_FALSE(readConfigFile("/", {}).config);
    EXPECT_THAT(mistakesOf(readConfigFile("/dev/zero", {})), "f: File too large\n");
}

TEST(ConfigReader, DescribesAMistakeAsCompilersDo) {
    EXPECT_EQ(describe("router.toml", {12, "what"}), "router.toml:12: what");
    EXPECT_EQ(describe("router.toml", {0, "what"}), "router.toml: what");
}

}  // namespace
}  // namespace router
