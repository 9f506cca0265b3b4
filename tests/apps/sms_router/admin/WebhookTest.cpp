#include "sms_router/admin/Webhook.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <thread>

#include "apps/sms_router/admin/HookServer.h"
#include "apps/sms_router/admin/HttpsHook.h"
#include "nio-tls/Certificates.h"
#include "support/LogCapture.h"
#include "support/TurnUntil.h"

namespace {

using namespace std::chrono_literals;
using router::AlarmConfig;
using router::HttpUrl;
using router::Webhook;
using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

AlarmConfig postingTo(const std::string& url) {
    AlarmConfig config;
    config.url = HttpUrl::parse(url).orThrow();
    return config;
}

// A webhook on a dispatcher of its own; the server is the test's.
class WebhookTest : public testing::Test {
  protected:
    void start(AlarmConfig config) {
        hook.emplace(thread, resolver, config);
        thread.start();
    }
    void start() { start(postingTo(server.url())); }
    ~WebhookTest() override {
        thread.requestClose(nio::DrainOptions::atOnce());
        thread.join();
    }
    void post(const std::string& document) {
        ASSERT_TRUE(thread.invokeLater([this, document] {
            nio::onDispatcher.assertCurrent();
            hook->postNow(document);
        }));
    }
    bool awaitLost(std::uint64_t count) const {
        const nio::TimePoint end = nio::Clock::after(60s);
        while (hook->lost() < count && nio::Clock::now() < end) std::this_thread::yield();
        return hook->lost() == count;
    }
    void awaitLog(const std::string& part) const {
        const nio::TimePoint end = nio::Clock::after(60s);
        while (log.count(part) == 0 && nio::Clock::now() < end) std::this_thread::yield();
        EXPECT_EQ(log.count(part), 1u) << part;
    }

    support::LogCapture log;
    routertest::HookServer server;
    const std::shared_ptr<nio::Resolver> resolver = std::make_shared<nio::Resolver>();
    nio::SelectorThread thread;
    std::optional<Webhook> hook;
};

TEST_F(WebhookTest, PostsADocument) {
    start();
    post("{}\n");
    const std::string host = server.address().toString();
    EXPECT_THAT(server.take(),
                AllOf(StartsWith("POST /hook HTTP/1.1\r\nHost: " + host + "\r\n"),
                      HasSubstr("\r\nContent-Type: application/json\r\nContent-Length: 3\r\n"),
                      EndsWith("\r\n\r\n{}\n")));
    server.accept();
}

TEST_F(WebhookTest, PostsOneAtATimeInOrder) {
    start();
    for (const char* each : {"1", "2", "3"}) post(each);
    for (const char* each : {"1", "2", "3"}) {
        EXPECT_THAT(server.take(), EndsWith("\r\n\r\n" + std::string(each)));
        EXPECT_FALSE(server.isAsked(20ms)) << "it is not answered yet";
        server.accept();
    }
    EXPECT_EQ(hook->lost(), 0u);
    EXPECT_TRUE(log.lines().empty());
}

TEST_F(WebhookTest, TriesAgainAndSaysSoOnce) {
    start();
    post("1");
    server.take();
    server.answer("HTTP/1.1 500 Oops\r\n\r\n");
    server.take();
    server.answer("nonsense\r\n");
    EXPECT_EQ(server.body(), "1");
    const std::string host = server.address().toString();
    awaitLog("alarms: posts to " + host + " succeed again; 0 notices were lost");
    EXPECT_THAT(log.lines(),
                testing::ElementsAre("alarms: post to " + host +
                                         " failed: answered with status 500; further failures are "
                                         "not logged",
                                     testing::_));
}

TEST_F(WebhookTest, LosesWhatIsNeverTaken) {
    AlarmConfig config = postingTo(server.url());
    config.urlAttempts = 2;
    start(config);
    post("1");
    for (int i = 0; i < 2; ++i) {
        server.take();
        server.answer("HTTP/1.1 404 Not Found\r\n\r\n");
    }
    EXPECT_TRUE(awaitLost(1));
    post("2");
    EXPECT_EQ(server.body(), "2");
    awaitLog("succeed again; 1 notices were lost");
}

TEST_F(WebhookTest, WaitsForAnAnswerOnlySoLong) {
    AlarmConfig config = postingTo(server.url());
    config.urlTimeout = 50ms;
    config.urlAttempts = 1;
    start(config);
    post("1");
    server.take();
    EXPECT_TRUE(awaitLost(1));
    EXPECT_EQ(log.count("failed: no answer in 50 ms"), 1u);
}

TEST_F(WebhookTest, KeepsTheLatestWhenTooManyWait) {
    AlarmConfig config = postingTo(server.url());
    config.urlQueue = 2;
    start(config);
    post("1");
    server.take();
    for (const char* each : {"2", "3", "4", "5"}) post(each);
    EXPECT_TRUE(awaitLost(2));
    server.accept();
    EXPECT_EQ(server.body(), "4");
    EXPECT_EQ(server.body(), "5");
}

TEST_F(WebhookTest, SaysWhyThereIsNoConnection) {
    const support::DeadPort nobody;
    AlarmConfig config = postingTo("http://" + nobody.address.toString() + "/secret");
    config.urlAttempts = 1;
    start(config);
    post("1");
    EXPECT_TRUE(awaitLost(1));
    EXPECT_EQ(log.count("Connection refused"), 1u);
    EXPECT_EQ(log.count("secret"), 0u);
}

TEST_F(WebhookTest, OneThatClosesWithoutAnAnswerFails) {
    AlarmConfig config = postingTo(server.url());
    config.urlAttempts = 1;
    start(config);
    post("1");
    server.take();
    server.answer("");
    EXPECT_TRUE(awaitLost(1));
}

TEST_F(WebhookTest, ReadsOverInterimAnswers) {
    start();
    post("1");
    server.take();
    server.answer(
        "HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n"
        "HTTP/1.1 204 No Content\r\n\r\n");
    post("2");
    EXPECT_EQ(server.body(), "2");
    EXPECT_TRUE(log.lines().empty());
}

TEST_F(WebhookTest, NoHttpFollowsAChangeOfProtocol) {
    AlarmConfig config = postingTo(server.url());
    config.urlAttempts = 1;
    start(config);
    post("1");
    server.take();
    server.answer("HTTP/1.1 101 Switching Protocols\r\n\r\n");
    EXPECT_TRUE(awaitLost(1));
    EXPECT_EQ(log.count("failed: "), 1u);
}

TEST_F(WebhookTest, SaysAtOnceThatAnAnswerIsNoHttp) {
    AlarmConfig config = postingTo(server.url());
    config.urlTimeout = 1h;
    config.urlAttempts = 1;
    start(config);
    post("1");
    server.take();
    server.write("nonsense\r\n");
    EXPECT_TRUE(awaitLost(1)) << "the connection is open still";
    EXPECT_EQ(log.count("failed: Received HTTP/0.9 when not allowed"), 1u);
}

TEST_F(WebhookTest, AnotherUrlIsTriedAtOnceAndAnew) {
    const support::DeadPort nobody;
    AlarmConfig config = postingTo("http://" + nobody.address.toString());
    config.urlAttempts = 1;
    start(config);
    post("1");
    EXPECT_TRUE(awaitLost(1));
    post("2");
    const support::DeadPort nobodyElse;
    ASSERT_TRUE(thread.invokeAndWait([&] {
        nio::onDispatcher.assertCurrent();
        AlarmConfig next = postingTo("http://" + nobodyElse.address.toString());
        next.urlAttempts = 1;
        hook->useNow(next);
    }));
    EXPECT_TRUE(awaitLost(2));
    EXPECT_EQ(log.count("alarms: post to " + nobodyElse.address.toString() + " failed"), 1u);
    ASSERT_TRUE(thread.invokeAndWait([&] {
        nio::onDispatcher.assertCurrent();
        hook->useNow(postingTo(server.url()));
        hook->postNow("3");
        hook->postNow("4");
    }));
    EXPECT_EQ(server.body(), "3");
    EXPECT_EQ(server.body(), "4");
    EXPECT_EQ(log.count("succeed again"), 0u) << "this one has not failed";
}

TEST_F(WebhookTest, OfWhatFailsAsTheRouterStopsNothingIsSaid) {
    start();
    post("1");
    server.take();
    ASSERT_TRUE(thread.invokeAndWait([&] {
        nio::onDispatcher.assertCurrent();
        hook->endNow();
    }));
    server.answer("");
    thread.requestClose(nio::DrainOptions::atOnce());
    thread.join();
    EXPECT_TRUE(log.lines().empty());
}

TEST_F(WebhookTest, WithoutAUrlPostsNothing) {
    start({});
    post("1");
    ASSERT_TRUE(thread.invokeAndWait([this] {
        nio::onDispatcher.assertCurrent();
        AlarmConfig config = postingTo(server.url());
        hook->useNow(config);
        hook->postNow("2");
        hook->useNow({});
        hook->useNow(config);
        hook->postNow("3");
    }));
    // The attempt of "2" may have begun; it comes to nothing.
    std::string request = server.take();
    if (!request.ends_with("3")) request = server.take();
    EXPECT_THAT(request, EndsWith("\r\n\r\n3"));
    server.accept();
}

class WebhookTlsTest : public WebhookTest {
  protected:
    void startTrusting(const support::Authority& trusted, AlarmConfig config) {
        config.urlAuthority = trusted.file();
        hook.emplace(thread, resolver, config);
        thread.start();
    }
    // Tries once.
    void startTrusting(const support::Authority& trusted, const std::string& url) {
        AlarmConfig config = postingTo(url);
        config.urlAttempts = 1;
        startTrusting(trusted, config);
    }

    support::Authority authority{"authority"};
};

TEST_F(WebhookTlsTest, PostsToTheHostItAsksFor) {
    nio::TlsServerFiles files = authority.issue("usual", {.names = "DNS:usual.example"});
    const nio::TlsServerFiles local = authority.issue("local", {.names = "DNS:localhost"});
    files.byName = {{local.certificate, local.key}};
    routertest::HttpsHook https(files);
    startTrusting(authority, https.url("localhost"));
    post("1");
    post("2");
    EXPECT_THAT(https.take(), AllOf(StartsWith("POST /hook HTTP/1.1\r\nHost: localhost:"),
                                    EndsWith("\r\n\r\n1")));
    EXPECT_THAT(https.take(), EndsWith("\r\n\r\n2"));
    EXPECT_TRUE(log.lines().empty());
}

TEST_F(WebhookTlsTest, TrustsNoOtherAuthority) {
    support::Authority other("other");
    const routertest::HttpsHook https(other.issue("hook", {.names = "IP:127.0.0.1"}));
    startTrusting(authority, https.url());
    post("1");
    EXPECT_TRUE(awaitLost(1));
    EXPECT_EQ(log.count("failed: TLS: SSL certificate problem"), 1u);
}

TEST_F(WebhookTlsTest, WantsTheNameOfTheHost) {
    const routertest::HttpsHook https(authority.issue("hook", {.names = "DNS:other.example"}));
    startTrusting(authority, https.url("localhost"));
    post("1");
    EXPECT_TRUE(awaitLost(1));
    EXPECT_EQ(log.count("matches target host name 'localhost'"), 1u);
}

TEST_F(WebhookTlsTest, WaitsForAHandshakeOnlySoLong) {
    AlarmConfig config = postingTo("https://" + server.address().toString());
    config.urlTimeout = 50ms;
    config.urlAttempts = 1;
    startTrusting(authority, config);
    post("1");
    EXPECT_TRUE(awaitLost(1));
    EXPECT_EQ(log.count("failed: no answer in 50 ms"), 1u);
}

TEST_F(WebhookTlsTest, AnotherAuthorityIsTriedAtOnce) {
    support::Authority other("other");
    routertest::HttpsHook https(other.issue("hook", {.names = "IP:127.0.0.1"}));
    AlarmConfig config = postingTo(https.url());
    config.urlAttempts = 1;
    startTrusting(authority, config);
    post("1");
    EXPECT_TRUE(awaitLost(1));
    ASSERT_TRUE(thread.invokeAndWait([&] {
        nio::onDispatcher.assertCurrent();
        hook->postNow("2");
        config.urlAuthority = other.file();
        hook->useNow(config);
    }));
    EXPECT_THAT(https.take(), EndsWith("\r\n\r\n2"));
    post("3");
    EXPECT_THAT(https.take(), EndsWith("\r\n\r\n3"));
    EXPECT_EQ(log.count("succeed again"), 0u) << "this one has not failed";
}

TEST_F(WebhookTlsTest, ReadsItsAuthorityAgainAfterAReload) {
    support::Authority other("other");
    routertest::HttpsHook https(other.issue("hook", {.names = "IP:127.0.0.1"}));
    AlarmConfig config = postingTo(https.url());
    config.urlAttempts = 1;
    startTrusting(authority, config);
    post("1");
    EXPECT_TRUE(awaitLost(1));
    std::filesystem::copy_file(other.file(), authority.file(),
                               std::filesystem::copy_options::overwrite_existing);
    config.urlAuthority = authority.file();
    ASSERT_TRUE(thread.invokeAndWait([&] {
        nio::onDispatcher.assertCurrent();
        hook->useNow(config);
    }));
    post("2");
    EXPECT_THAT(https.take(), EndsWith("\r\n\r\n2"));
}

}  // namespace
