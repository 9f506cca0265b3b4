// --set: what changes a configuration from the command line.
#include "apps/sms_router/config/ConfigTesting.h"

namespace router {
namespace {

using namespace configtesting;
using testing::ElementsAre;
using testing::HasSubstr;

std::string mistakesWith(const std::string& setting) {
    return mistakesOf(
        readConfig(std::string("[router]\nthreads=2\n[[route]]\nreject='8'\n") + rest, {setting}));
}

TEST(Settings, ReplaceWhatTheFileSays) {
    const RouterConfig config = read("[router]\nthreads = 2\n", {"router.threads=3"});
    EXPECT_EQ(config.router.threads, 3u);
}

TEST(Settings, ReachTablesByTheirNames) {
    const RouterConfig config =
        read("", {"connector.two.port=2999", "listener.rest.port=0", "account.alice.window=7"});
    EXPECT_EQ(config.connectors[1].port, 2999);
    EXPECT_EQ(config.listeners[0].port, 0);
    EXPECT_EQ(config.accounts[0].window, 7u);
}

TEST(Settings, ReachElementsOfArraysByTheirIndices) {
    const char* const toml =
        "[[route]]\ndestinations=['1','2']\nconnector='one'\n[[route]]\nconnector='one'\n";
    const RouterConfig config = read(toml, {"route.1.connector=two", "route.0.destinations.1=3*"});
    EXPECT_EQ(config.routes[0].connector, 0u);
    EXPECT_EQ(config.routes[1].connector, 1u);
    EXPECT_EQ(config.routes[0].destinations[0].text(), "1");
    EXPECT_EQ(config.routes[0].destinations[1].text(), "3*");
}

TEST(Settings, MakeTablesThatAreNotThere) {
    const RouterConfig config = read("", {"store.durability=memory", "listener.new.port=0",
                                          "admin.port=0", "records={path='x'}"});
    EXPECT_EQ(config.store.durability, Durability::memory);
    EXPECT_EQ(config.listeners.size(), 2u);
    EXPECT_TRUE(config.admin.enabled);
    EXPECT_EQ(config.records.path, "x");
}

TEST(Settings, AreRefusedIfAFileNameIsEmpty) {
    for (const std::string key : {"records.path", "router.price_list", "alarms.url"}) {
        EXPECT_THAT(mistakesWith(key + "="), HasSubstr("--set " + key + ": is empty")) << key;
    }
}

TEST(Settings, TakeABareWordForAString) {
    const char* const words[] = {"smsc.example", "10.0.0.1", "/var/lib/x", "::1", "a b", "10s"};
    for (const std::string word : words) {
        EXPECT_EQ(read("", {"connector.one.host=" + word}).connectors[0].host, word);
    }
    EXPECT_EQ(read("", {"connector.one.host=\"q\""}).connectors[0].host, "q");
    EXPECT_EQ(read("", {"connector.one.password="}).connectors[0].bind.password, "");
    EXPECT_EQ(read("", {"connector.one.host=a=b"}).connectors[0].host, "a=b");
}

TEST(Settings, TakeOtherValuesForTheTomlTheyAre) {
    const RouterConfig config =
        read("", {"account.alice.numbers=['1', '2']", "account.alice.messages_per_second=1.5",
                  "records.mask_addresses=true"});
    EXPECT_EQ(config.accounts[0].numbers.size(), 2u);
    EXPECT_EQ(config.accounts[0].messagesPerSecond, 1.5);
    EXPECT_TRUE(config.records.maskAddresses);
}

TEST(Settings, ReachQuotedNames) {
    const char* const toml = "[listener.\"a.b\"]\nport = 1\n";
    EXPECT_EQ(read(toml, {"listener.\"a.b\".port=0"}).listeners[0].port, 0);
}

TEST(Settings, AreAppliedInTheirOrder) {
    EXPECT_EQ(read("", {"router.threads=3", "router.threads=4"}).router.threads, 4u);
}

TEST(Settings, AreCheckedAsTheFileIs) {
    EXPECT_EQ(mistakesWith("connector.one.port=70000"),
              "f: --set connector.one.port: 70000 is out of range: 1 to 65535\n");
    EXPECT_EQ(mistakesWith("router.thread=1"),
              "f: --set: unknown key 'router.thread'; did you mean 'threads'?\n");
    EXPECT_THAT(mistakesWith("connector.smcs.port=1"),
                HasSubstr("f: --set connector.smcs: has no host"));
}

TEST(Settings, OfOneOfSeveralTablesAreNamedByItsNumber) {
    const std::string toml = std::string(rest) + "[[route]]\nconnector = \"one\"\n[[route]]\n";
    EXPECT_THAT(mistakesOf(readConfig(toml, {"route.1.connector=nobody"})),
                HasSubstr("f: --set route.1.connector: "));
    EXPECT_EQ(mistakesOf(readConfig(toml, {"route.1.connector=one", "route.0.conector=one"})),
              "f: --set: unknown key 'route.0.conector'; did you mean 'connector'?\n");
}

TEST(Settings, ThatAreNoneAreMistakes) {
    for (const char* setting : {"", "=", "x", "=1", "a b=1", "a.=1", ".a=1", "a\nb=1", "#=1"}) {
        EXPECT_THAT(mistakesWith(setting), HasSubstr("is not KEY=VALUE")) << setting;
    }
    for (const char* value : {"[1", "'x", "{a=1", "\"x", "1\nb=2", "x\ny"}) {
        EXPECT_THAT(mistakesWith(std::string("router.threads=") + value),
                    HasSubstr("--set router.threads: has no TOML value"))
            << value;
    }
    for (const char* key :
         {"router.threads.x", "route.1.reject", "route.first.reject", "route.-1.x", "route.1"}) {
        EXPECT_THAT(mistakesWith(std::string(key) + "=1"), HasSubstr("unknown path")) << key;
    }
}

TEST(Settings, AddNoElementToAListOfTables) {
    EXPECT_EQ(mistakesOf(readConfig(rest, {"route.0.connector=one"})),
              "f: --set route: the file has no [[route]] to change\n");
}

TEST(Settings, AreNotLookedAtWhenTheFileIsNoToml) {
    const ConfigReading reading = readConfig("[x\n", {"router.threads=3"});
    EXPECT_EQ(reading.mistakes.size(), 1u);
}

}  // namespace
}  // namespace router
