// What comes for an account that has a webhook.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "apps/sms_router/admin/HookServer.h"
#include "apps/sms_router/scenarios/AdminClient.h"
#include "apps/sms_router/scenarios/OneSmsc.h"
#include "common/Digest.h"

namespace router::scenarios {

namespace {

using testing::HasSubstr;

std::string webhookAt(const std::string& url, const std::string& more = {}) {
    return "webhook = { url = \"" + url + "\", secret = \"whsec\"" + more + " }\n";
}

nlohmann::json eventOf(const std::string& request) {
    return nlohmann::json::parse(request.substr(request.find("\r\n\r\n") + 4));
}

std::string between(const std::string& text, const std::string& before, const std::string& after) {
    const std::size_t begin = text.find(before) + before.size();
    return text.substr(begin, text.find(after, begin) - begin);
}

void expectDelivered(OneSmsc& scene, std::uint32_t sequence) {
    EXPECT_EQ(scene.smsc.expectAnswer(sequence).status(), Status::ok);
}

}  // namespace

TEST(RouterWebhook, GetsAReceiptWithTheAddressesOfItsMessage) {
    routertest::HookServer hook;
    OneSmsc scene({.esme1 = webhookAt(hook.url())});
    SmppPeer sender = scene.router.bound("esme1", Command::bindTransmitter);
    const std::string ours = scene.accepted(sender, "17");
    const std::uint32_t sequence = scene.smsc.receipt(receiptOf("17"));
    const nlohmann::json event = eventOf(hook.take());
    hook.accept();
    expectDelivered(scene, sequence);
    EXPECT_EQ(event["event"], "receipt");
    EXPECT_EQ(event["id"], ours);
    EXPECT_EQ(event["state"], "delivered");
    EXPECT_EQ(event["to"], "41791234567");
    EXPECT_EQ(event["from"], "12345");
}

TEST(RouterWebhook, GetsAMessageWithASignature) {
    routertest::HookServer hook;
    OneSmsc scene({.esme1 = webhookAt(hook.url("/in?key=1"))});
    const std::uint32_t sequence = scene.smsc.deliver({.to = "12345", .text = "STOP"});
    const std::string request = hook.take();
    hook.accept();
    expectDelivered(scene, sequence);
    EXPECT_THAT(request, HasSubstr("POST /in?key=1 HTTP/1.1\r\n"));
    const std::string time = between(request, "Sms-Router-Signature: t=", ",");
    const std::string body = request.substr(request.find("\r\n\r\n") + 4);
    EXPECT_EQ(between(request, ",v1=", "\r\n"), apps::keyedDigest("whsec", time + "." + body));
    const nlohmann::json event = eventOf(request);
    EXPECT_EQ(event["event"], "message");
    EXPECT_EQ(event["text"], "STOP");
    EXPECT_EQ(event["to"], "12345");
}

TEST(RouterWebhook, GetsAgainWhatItHasNotTaken) {
    routertest::HookServer hook;
    OneSmsc scene({.esme1 = webhookAt(hook.url())});
    const std::uint32_t sequence = scene.smsc.deliver({.to = "12345", .text = "mo"});
    const nlohmann::json first = eventOf(hook.take());
    hook.answer("HTTP/1.1 500 Internal Server Error\r\nContent-Length: 0\r\n\r\n");
    EXPECT_EQ(eventOf(hook.take()), first);
    hook.answer("HTTP/1.1 302 Found\r\nLocation: /elsewhere\r\nContent-Length: 0\r\n\r\n");
    EXPECT_EQ(eventOf(hook.take()), first);
    hook.accept();
    expectDelivered(scene, sequence);
}

TEST(RouterWebhook, IsSeenByTheAdministrator) {
    routertest::HookServer hook;
    OneSmsc scene({.esme1 = webhookAt(hook.url()), .admin = true});
    const AdminClient admin(scene.router.adminAddress());
    const auto its = [&] {
        nlohmann::json status = admin.status();
        for (nlohmann::json& account : status["accounts"]) {
            if (account["systemId"] == "esme1") return std::move(account);
        }
        return nlohmann::json();
    };
    scene.smsc.deliver({.to = "12345", .text = "mo"});
    hook.take();
    nlohmann::json account = its();
    EXPECT_EQ(account["waiting"], 1);
    EXPECT_EQ(account["webhook"]["host"], hook.address().toString());
    EXPECT_EQ(account["webhook"]["posts"], 1);
    EXPECT_EQ(account["webhook"]["failures"], 0);
    hook.answer("HTTP/1.1 500 Internal Server Error\r\nContent-Length: 0\r\n\r\n");
    hook.take();
    account = its();
    EXPECT_EQ(account["webhook"]["failures"], 1);
    EXPECT_EQ(account["webhook"]["lastError"], "answered with status 500");
    hook.accept();
    const nio::TimePoint end = nio::Clock::after(patience);
    while (its()["waiting"] != 0 && nio::Clock::now() < end) {
    }
    account = its();
    EXPECT_EQ(account["waiting"], 0);
    EXPECT_EQ(account["webhook"]["failures"], 0);
    EXPECT_EQ(account["webhook"]["posts"], 0);
}

TEST(RouterWebhook, GetsAfterARestartWhatItHasNotTaken) {
    routertest::HookServer hook;
    OneSmsc scene({.esme1 = webhookAt(hook.url()), .durability = "commit"});
    const std::uint32_t sequence = scene.smsc.deliver({.to = "12345", .text = "mo"});
    const nlohmann::json first = eventOf(hook.take());
    // It does not answer: after a while the message is kept, and is the SMSC's no more.
    expectDelivered(scene, sequence);
    scene.router.kill();
    scene.router.startAgain();
    scene.smsc = scene.listener.accept();
    const nlohmann::json again = eventOf(hook.take());
    hook.accept();
    EXPECT_EQ(again["text"], "mo");
    EXPECT_EQ(again["delivery"], first["delivery"]);
}

TEST(RouterWebhook, ThatStallsHoldsUpNoOtherAccount) {
    routertest::HookServer hook;
    OneSmsc scene({.esme1 = webhookAt(hook.url())});
    SmppPeer other = scene.router.bound("esme2");
    for (int i = 0; i < 50; ++i) scene.smsc.deliver({.to = "12345", .text = "stalls"});
    scene.smsc.deliver({.to = "54321", .text = "goes on"});
    EXPECT_EQ(other.expect(Command::deliverSm).message(), "goes on");
}

TEST(RouterWebhook, IsAnotherOneAfterAReload) {
    routertest::HookServer before;
    routertest::HookServer after;
    OneSmsc scene({.esme1 = webhookAt(before.url())});
    scene.router.setup().esme1 = webhookAt(after.url());
    scene.router.writeConfig();
    scene.router.reload();
    // The reload is over before each dispatcher knows of it: what came before is posted before.
    for (bool isThere = false; !isThere;) {
        const std::uint32_t sequence = scene.smsc.deliver({.to = "12345", .text = "mo"});
        while (!after.isAsked(std::chrono::milliseconds(1)) &&
               !before.isAsked(std::chrono::milliseconds(1))) {
        }
        isThere = after.isAsked(std::chrono::milliseconds(0));
        (isThere ? after : before).body();
        expectDelivered(scene, sequence);
    }
    EXPECT_FALSE(before.isAsked(std::chrono::milliseconds(0)));
}

TEST(RouterWebhook, LeavesTheAccountToItsBindsOnceItIsGone) {
    routertest::HookServer hook;
    OneSmsc scene({.esme1 = webhookAt(hook.url()) + "max_binds = 1\n"});
    const std::uint32_t sequence = scene.smsc.deliver({.to = "12345", .text = "mo"});
    hook.take();
    scene.router.setup().esme1 = "max_binds = 1\n";
    scene.router.writeConfig();
    scene.router.reload();
    SmppPeer esme = scene.router.bound("esme1");
    const OwnedPdu message = esme.expect(Command::deliverSm);
    EXPECT_EQ(message.message(), "mo");
    esme.answer(message);
    expectDelivered(scene, sequence);
}

}  // namespace router::scenarios
