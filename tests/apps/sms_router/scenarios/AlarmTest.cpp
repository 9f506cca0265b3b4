// The alarms: on the page, in the metrics, in the log, and posted to a webhook.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "apps/sms_router/admin/HookServer.h"
#include "apps/sms_router/admin/HttpsHook.h"
#include "apps/sms_router/durability/Traced.h"
#include "apps/sms_router/scenarios/AdminClient.h"
#include "apps/sms_router/scenarios/OneSmsc.h"
#include "nio-tls/Certificates.h"

namespace router::scenarios {

namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

RouterSetup withAlarms(const std::string& settings) {
    RouterSetup setup;
    setup.admin = true;
    setup.more = "[alarms]\n" + settings + "\n";
    return setup;
}

// On the page and in the metrics.
void expectAlarm(RouterProcess& router, const std::string& kind, const std::string& name,
                 const std::string& text) {
    const AdminClient admin(router.adminAddress());
    const std::string sample = "sms_router_alarm{alarm=\"" + kind + "\",name=\"" + name + "\"} 1\n";
    const nio::TimePoint end = nio::Clock::after(patience);
    std::string page;
    while (page.find(text) == page.npos && nio::Clock::now() < end) {
        page = admin.get("/status.json").body;
        std::this_thread::yield();
    }
    EXPECT_THAT(page, HasSubstr(text));
    EXPECT_NE(admin.get("/metrics").body.find(sample), std::string::npos) << sample;
}

nlohmann::json without(nlohmann::json document, const char* key) {
    document.erase(key);
    return document;
}

}  // namespace

TEST(RouterAlarm, OfALongQueue) {
    OneSmsc scene(withAlarms("queue = 2"), "window = 1\n");
    SmppPeer esme = scene.router.bound("esme1");
    for (int i = 0; i < 4; ++i) esme.submit({});
    scene.smsc.nextSubmit();
    expectAlarm(scene.router, "queue", "smsc",
                "Connector smsc has more than 2 requests in its queue.");
}

TEST(RouterAlarm, OfARateThatThrottlingHasCut) {
    OneSmsc scene(withAlarms("throttled_for = \"1ms\""));
    SmppPeer esme = scene.router.bound("esme1");
    for (int i = 0; i < 10; ++i) {
        const std::uint32_t sent = esme.submit({});
        scene.smsc.refuse(scene.smsc.nextSubmit(), Status::throttled);
        esme.expectAnswer(sent);
    }
    expectAlarm(scene.router, "throttled", "smsc", "the SMSC has throttled it for more than 1 ms.");
}

TEST(RouterAlarm, OfReceiptsThatDoNotCome) {
    OneSmsc scene(withAlarms("no_receipts_for = \"200ms\""));
    SmppPeer esme = scene.router.bound("esme1");
    const AdminClient admin(scene.router.adminAddress());
    const std::string sample = "sms_router_alarm{alarm=\"no_receipts\",name=\"smsc\"} 1\n";
    const auto isOn = [&] { return admin.get("/metrics").body.find(sample) != sample.npos; };
    const auto flow = [&](int firstId, int registeredDelivery, auto isEnough) {
        for (int id = firstId; !isEnough(); ++id) {
            scene.accepted(esme, std::to_string(id),
                           {.registeredDelivery = static_cast<std::uint8_t>(registeredDelivery)});
        }
    };
    const nio::TimePoint end = nio::Clock::after(patience);
    for (const int failureOnly : {2, 0x10}) {
        const nio::TimePoint enough = nio::Clock::after(300ms);
        flow(1000, failureOnly, [&] { return isOn() || nio::Clock::now() >= enough; });
        EXPECT_FALSE(isOn()) << failureOnly;
    }
    flow(17, 1, [&] { return isOn() || nio::Clock::now() >= end; });
    const std::string text = "Connector smsc has delivered no receipt for more than 200 ms";
    std::string page;
    flow(100'000, 1, [&] {
        page = admin.get("/status.json").body;
        return page.find(text) != page.npos || nio::Clock::now() >= end;
    });
    EXPECT_THAT(page, HasSubstr(text));
    const std::uint32_t sequence = scene.smsc.receipt(receiptOf("17"));
    esme.refuse(esme.expect(Command::deliverSm), Status::sysErr);
    scene.smsc.expectAnswer(sequence);
    EXPECT_FALSE(isOn()) << "the SMSC has sent it, whatever the ESME answers";
}

TEST(RouterAlarm, OfASlowStore) {
    NIO_NEEDS_STRACE();
    const Traced traced({"trace=fdatasync", "inject=fdatasync:delay_enter=20ms"});
    RouterSetup setup = withAlarms("store_slow = \"5ms\"");
    setup.durability = "commit";
    setup.prefix = traced.prefix();
    OneSmsc scene(setup);
    SmppPeer esme = scene.router.bound("esme1");
    scene.accepted(esme, "17");
    expectAlarm(scene.router, "store_slow", "", "The store is slow: a commit takes more than 5 ms");
    scene.router.kill();
}

TEST(RouterAlarm, OfACertificateThatExpiresSoon) {
    support::Authority authority("authority");
    const auto listener = [&](const std::string& name, long days) {
        const nio::TlsServerFiles files = authority.issue(name, {.toDays = days});
        return "tls = { certificate = \"" + files.certificate + "\", key = \"" + files.key +
               "\" }\n";
    };
    RouterSetup setup{.listener = listener("soon", 10), .admin = true};
    OneSmsc scene(setup);
    expectAlarm(scene.router, "certificate", "esme", "The certificate of listener esme expires on");
    scene.router.setup().listener = listener("late", 20);
    scene.router.writeConfig();
    scene.router.reload();
    const AdminClient admin(scene.router.adminAddress());
    const nio::TimePoint end = nio::Clock::after(patience);
    while (!admin.status()["alarms"].empty() && nio::Clock::now() < end) std::this_thread::yield();
    EXPECT_TRUE(admin.status()["alarms"].empty()) << "it has a new one";
}

TEST(RouterAlarm, IsLoggedAndPostedAsItBeginsAndEnds) {
    routertest::HookServer hook;
    OneSmsc scene(withAlarms("url = \"" + hook.url() + "\""));
    scene.listener.stopListening();
    scene.smsc.close();
    const auto bodyOf = [&] { return nlohmann::json::parse(hook.body()); };
    const nlohmann::json begins = bodyOf();
    EXPECT_THAT(begins["text"].get<std::string>(), HasSubstr("Connector smsc is down: "));
    EXPECT_THAT(begins["time"].get<std::string>(), testing::EndsWith("Z"));
    EXPECT_EQ(without(without(begins, "text"), "time"), nlohmann::json({{"alarm", "connector_down"},
                                                                        {"name", "smsc"},
                                                                        {"state", "begins"},
                                                                        {"router", "nio"}}));
    scene.listener.listen();
    scene.smsc = scene.listener.accept();
    EXPECT_EQ(bodyOf()["state"], "ends");
    std::vector<std::string> alarms;
    while (alarms.size() < 2) {
        const std::string line = scene.router.process().readErrorLine();
        if (line.find("alarm") != line.npos) alarms.push_back(line);
    }
    EXPECT_THAT(alarms[0], HasSubstr("warning: alarm: Connector smsc is down: "));
    EXPECT_THAT(alarms[1], HasSubstr("info: alarm is over: Connector smsc is down: "));
}

TEST(RouterAlarm, ThatIsOnIsPostedToAUrlThatIsSetAgain) {
    routertest::HookServer hook;
    OneSmsc scene(withAlarms("url = \"" + hook.url() + "\""));
    scene.listener.stopListening();
    scene.smsc.close();
    EXPECT_EQ(nlohmann::json::parse(hook.body())["router"], "nio");
    const auto reload = [&](const std::string& router, const std::string& more) {
        scene.router.setup().router = router;
        scene.router.setup().more = more;
        scene.router.writeConfig();
        scene.router.reload();
    };
    reload("", "");
    reload("system_id = \"two\"\n", withAlarms("url = \"" + hook.url() + "\"").more);
    const nlohmann::json again = nlohmann::json::parse(hook.body());
    EXPECT_EQ(again["alarm"], "connector_down");
    EXPECT_EQ(again["state"], "begins");
    EXPECT_EQ(again["router"], "two");
}

TEST(RouterAlarm, IsPostedOverHttpsToATrustedServer) {
    support::Authority here("here");
    support::Authority other("other");
    routertest::HttpsHook hook(here.issue("hook", {.names = "IP:127.0.0.1"}));
    const auto trusting = [&](const support::Authority& authority) {
        return withAlarms("url = \"" + hook.url() + "\"\nurl_authority = \"" + authority.file() +
                          "\"");
    };
    OneSmsc scene(trusting(other));
    scene.listener.stopListening();
    scene.smsc.close();
    std::string line;
    while (line.find("alarms: post") == line.npos) line = scene.router.process().readErrorLine();
    EXPECT_THAT(
        line, HasSubstr("post to " + hook.hostAndPort() + " failed: TLS: SSL certificate problem"));
    scene.router.setup().more = trusting(here).more;
    scene.router.writeConfig();
    scene.router.reload();
    EXPECT_THAT(hook.take(), HasSubstr("{\"alarm\":\"connector_down\",\"name\":\"smsc\""));
}

}  // namespace router::scenarios
