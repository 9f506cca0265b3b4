// [http], and the keys and webhooks of accounts.
#include "apps/sms_router/config/ConfigTesting.h"
#include "sms_router/config/ApiKey.h"

namespace router {
namespace {

using namespace configtesting;
using testing::HasSubstr;

// "LINE: WHAT" of the only mistake.
std::string mistakeOf(const std::string& toml) {
    const ConfigReading reading = readConfig(toml + rest, {});
    EXPECT_FALSE(reading.config) << toml;
    if (reading.mistakes.size() != 1) return mistakesOf(reading);
    return std::to_string(reading.mistakes[0].line) + ": " + reading.mistakes[0].what;
}

std::string accountWith(const std::string& name, const std::string& keys) {
    return "[account." + name + "]\npassword='x'\napi_keys = " + keys + "\n";
}

std::string quotedDigest(const std::string& key) {
    return "'" + apiKeyDigest(key) + "'";
}

TEST(HttpConfig, IsAbsentUntilItIsWritten) {
    EXPECT_FALSE(read("").http);
    const RouterConfig usual = read("[http]\n");
    ASSERT_TRUE(usual.http);
    EXPECT_EQ(usual.http->host, "127.0.0.1");
    EXPECT_EQ(usual.http->port, 8776);
    EXPECT_EQ(usual.http->maxConnections, 1000u);
    EXPECT_EQ(usual.http->maxBody, 1u << 20);
    EXPECT_FALSE(usual.http->tls);
}

TEST(HttpConfig, SaysWhereAndHowMuch) {
    const RouterConfig config =
        read("[http]\nhost='::1'\nport=1\nmax_connections=2\nmax_body=\"2Mi\"\n");
    EXPECT_EQ(config.http->host, "::1");
    EXPECT_EQ(config.http->port, 1);
    EXPECT_EQ(config.http->maxConnections, 2u);
    EXPECT_EQ(config.http->maxBody, 2u << 20);
}

TEST(HttpConfig, OpensDoorsOfOtherGatewaysOnlyIfAsked) {
    const RouterConfig usual = read("[http]\n");
    EXPECT_FALSE(usual.http->kannel || usual.http->jasmin);
    EXPECT_TRUE(read("[http]\nkannel = true\n").http->kannel);
    EXPECT_TRUE(read("[http]\njasmin = true\n").http->jasmin);
}

TEST(HttpConfig, SaysHowAWebhookIsCalled) {
    const auto hookOf = [](const std::string& more) {
        const RouterConfig config = read(
            "[account.x]\npassword='x'\n[account.x.webhook]\nurl = 'http://h/?from=%p'\n"
            "secret = 's'\n" +
            more);
        return config.accounts[config.accountByName.at("x")].http.webhook;
    };
    const WebhookConfig usual = hookOf("");
    EXPECT_EQ(usual.format, WebhookFormat::json);
    EXPECT_EQ(usual.url.text(), "http://h:80/?from=%p");
    EXPECT_FALSE(usual.perMessage || usual.privateAddresses);
    EXPECT_EQ(hookOf("format = 'kannel'\n").format, WebhookFormat::kannel);
    EXPECT_EQ(hookOf("format = 'jasmin'\n").format, WebhookFormat::jasmin);
    const WebhookConfig all = hookOf("per_message = true\nprivate_addresses = true\n");
    EXPECT_TRUE(all.perMessage && all.privateAddresses);
    const std::string hook =
        "[account.x]\npassword='x'\nwebhook = { url = 'http://h', secret = 's', ";
    EXPECT_THAT(mistakeOf(hook + "format = 'xml' }\n"), HasSubstr("account.x.webhook.format"));
    EXPECT_THAT(mistakeOf(hook + "private_addresses = true }\n"),
                HasSubstr("private_addresses: has no effect without per_message"));
}

TEST(HttpConfig, NamesItsMistakes) {
    EXPECT_THAT(mistakeOf("[http]\nprot = 1\n"),
                HasSubstr("2: unknown key 'http.prot'; did you mean 'port'?"));
    EXPECT_THAT(mistakeOf("[http]\nport = 65536\n"), HasSubstr("2: http.port: "));
    EXPECT_THAT(mistakeOf("[http]\nport = -1\n"), HasSubstr("2: http.port: "));
    EXPECT_THAT(mistakeOf("[http]\nhost = 'localhost'\n"), HasSubstr("2: http.host: "));
    EXPECT_THAT(mistakeOf("[http]\nmax_connections = 0\n"), HasSubstr("2: http.max_connections: "));
    EXPECT_THAT(mistakeOf("[http]\nmax_body = 1023\n"), HasSubstr("2: http.max_body: "));
    EXPECT_THAT(mistakeOf("[http]\nmax_body = \"65Mi\"\n"), HasSubstr("2: http.max_body: "));
    EXPECT_THAT(mistakeOf("http = 1\n"), HasSubstr("1: "));
}

TEST(HttpConfig, RequiresTlsOffLoopback) {
    for (const char* host : {"0.0.0.0", "::", "192.0.2.1"}) {
        EXPECT_THAT(mistakeOf(std::string("[http]\nhost = '") + host + "'\n"),
                    HasSubstr("[http.tls] is required"))
            << host;
    }
    EXPECT_TRUE(read("[http]\nhost='0.0.0.0'\n[http.tls]\ncertificate='/dev/null'\n"
                     "key='/dev/null'\n")
                    .http->tls);
    EXPECT_THAT(mistakeOf("[http.tls]\ncertificate='/dev/null'\n"), HasSubstr("key"));
    for (const char* host : {"127.0.0.1", "127.9.9.9", "::1"}) {
        EXPECT_FALSE(read(std::string("[http]\nhost = '") + host + "'\n").http->tls);
    }
}

TEST(HttpConfig, HasAPortOfItsOwn) {
    EXPECT_THAT(mistakeOf("[http]\nport = 2770\nhost = '0.0.0.0'\n[http.tls]\n"
                          "certificate='/dev/null'\nkey='/dev/null'\n"),
                HasSubstr("http: listener.rest has "));
    EXPECT_THAT(mistakeOf("[admin]\nport = 8776\n[http]\n"), HasSubstr("http: admin has "));
    read("[admin]\nport = 0\n[http]\nport = 0\n");
    read("[admin]\nport = 8777\n[http]\n");
}

TEST(HttpConfig, KnowsAccountsByTheDigestsOfTheirKeys) {
    const RouterConfig config =
        read(accountWith("x", "[" + quotedDigest("1") + ", " + quotedDigest("2") + "]") +
             accountWith("y", "[" + quotedDigest("3") + "]") + accountWith("z", "[]"));
    ASSERT_EQ(config.accountByKey.size(), 3u);
    const auto whose = [&](const std::string& key) {
        return config.accounts[config.accountByKey.at(apiKeyDigest(key))].systemId;
    };
    EXPECT_EQ(whose("1") + whose("2") + whose("3"), "xxy");
}

TEST(HttpConfig, NamesMistakesOfKeys) {
    const std::string wrong = "is not the digest of a key, as --make-api-key prints it";
    EXPECT_THAT(mistakeOf(accountWith("x", "['" + newApiKey() + "']")),
                HasSubstr("3: account.x.api_keys: " + wrong));
    EXPECT_THAT(mistakeOf(accountWith("x", "[" + quotedDigest("1") + ",\n'sha256:00']")),
                HasSubstr("4: account.x.api_keys: " + wrong));
    EXPECT_THAT(mistakeOf(accountWith("x", "[1]")), HasSubstr("account.x.api_keys"));
    EXPECT_THAT(mistakeOf("[account.x]\npassword='x'\napi_key = []\n"),
                HasSubstr("did you mean 'api_keys'?"));
}

TEST(HttpConfig, DoesNotPrintAKeyThatIsNoDigest) {
    const std::string key = newApiKey();
    EXPECT_THAT(mistakeOf(accountWith("x", "['" + key + "']")), testing::Not(HasSubstr(key)));
}

TEST(HttpConfig, GivesAKeyToOneAccountOnly) {
    const std::string key = "[" + quotedDigest("1") + "]";
    EXPECT_THAT(mistakeOf(accountWith("x", key) + accountWith("y", key)),
                HasSubstr("6: account.y.api_keys: account 'x' has the same key"));
}

}  // namespace
}  // namespace router
