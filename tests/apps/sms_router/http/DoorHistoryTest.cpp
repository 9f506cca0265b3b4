// What an application learns of a message that it has sent by HTTP.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apps/sms_router/admin/HookServer.h"
#include "apps/sms_router/http/DoorScene.h"

namespace router::scenarios {

namespace {

using nlohmann::json;

const std::string longMessage =
    R"({"from": "12345", "to": "41791234567", "receipt": true, "text": ")" + std::string(200, 'x') +
    "\"}";

std::string webhookTo(routertest::HookServer& hook) {
    return "webhook = { url = \"" + hook.url() + "\", secret = \"whsec\" }\n";
}

json taken(routertest::HookServer& hook) {
    const std::string request = hook.take();
    hook.accept();
    return json::parse(request.substr(request.find("\r\n\r\n") + 4));
}

// Both parts are accepted, as 17 and 18.
json longMessageSent(DoorScene& scene, DoorClient& client) {
    client.post(longMessage);
    scene.smsc.answer(scene.smsc.nextSubmit(), "17");
    scene.smsc.answer(scene.smsc.nextSubmit(), "18");
    return client.next().json();
}

void expectSafe(DoorScene& scene, std::uint32_t sequence) {
    EXPECT_EQ(scene.smsc.expectAnswer(sequence).status(), Status::ok);
}

}  // namespace

TEST(DoorHistory, ShowsAcceptanceReceiptAndThatTheApplicationWasTold) {
    routertest::HookServer hook;
    DoorScene scene(withStore(webhookTo(hook)));
    DoorClient client = scene.client();
    const std::string id = scene.acceptedAs(client, someMessage, "17").json()["id"];
    const std::uint32_t sequence = scene.smsc.receipt(receiptOf("17"));
    EXPECT_EQ(taken(hook)["id"], id);
    expectSafe(scene, sequence);
    json message;
    do {
        message = client.get("/v1/messages/" + id).json();
    } while (message["history"].size() < 3);
    EXPECT_EQ(message["state"], "delivered");
    EXPECT_EQ(message["from"], "12345");
    EXPECT_EQ(message["to"], "41791234567");
    EXPECT_EQ(message["parts"], 1);
    EXPECT_EQ(message["history"][0]["event"], "accepted");
    EXPECT_EQ(message["history"][1]["event"], "receipt");
    EXPECT_EQ(message["history"][1]["state"], "delivered");
    EXPECT_EQ(message["history"][2]["event"], "told");
}

TEST(DoorHistory, AsksTheSmscWhileNoReceiptTells) {
    DoorScene scene(withStore());
    DoorClient client = scene.client();
    const std::string id = scene.acceptedAs(client, someMessage, "17").json()["id"];
    client.send("GET", "/v1/messages/" + id);
    const OwnedPdu query = scene.smsc.expect(Command::querySm);
    EXPECT_EQ(query.id(), "17");
    EXPECT_EQ(query.text(Field::sourceAddress), "12345");
    scene.smsc.refuse(query, Status::queryFail);
    const HttpAnswer answer = client.next();
    EXPECT_EQ(answer.status, 200);
    EXPECT_EQ(answer.json()["state"], "accepted");
    EXPECT_EQ(answer.json()["history"].size(), 1u);
}

TEST(DoorHistory, IsTheAccountsOwn) {
    DoorScene scene(withStore());
    DoorClient client = scene.client();
    const std::string id = scene.acceptedAs(client, someMessage, "17").json()["id"];
    DoorClient other = scene.client("Basic ZXNtZTI6c2VjcmV0Mg==");  // esme2:secret2
    EXPECT_EQ(other.get("/v1/messages/" + id).status, 404);
}

TEST(DoorHistory, OfALongTextHasOneReceipt) {
    routertest::HookServer hook;
    DoorScene scene(withStore(webhookTo(hook)));
    DoorClient client = scene.client();
    const json sent = longMessageSent(scene, client);
    // Safe before the application is told.
    expectSafe(scene, scene.smsc.receipt(receiptOf("17")));
    const std::uint32_t last = scene.smsc.receipt(receiptOf("18"));
    const json event = taken(hook);
    expectSafe(scene, last);
    EXPECT_EQ(event["id"], sent["id"]);
    EXPECT_EQ(event["state"], "delivered");
    expectSafe(scene, scene.smsc.deliver({.to = "12345", .text = "next"}));
    EXPECT_EQ(taken(hook)["text"], "next");
    EXPECT_EQ(client.get("/v1/messages/" + std::string(sent["id"])).json()["state"], "delivered");
}

TEST(DoorHistory, OfALongTextHasOneReceiptOverARestart) {
    routertest::HookServer hook;
    DoorScene scene(withStore(webhookTo(hook)));
    DoorClient client = scene.client();
    const json sent = longMessageSent(scene, client);
    expectSafe(scene, scene.smsc.receipt(receiptOf("18")));
    scene.startAgain();
    const std::uint32_t last = scene.smsc.receipt(receiptOf("17"));
    const json event = taken(hook);
    expectSafe(scene, last);
    EXPECT_EQ(event["id"], sent["id"]);
    EXPECT_EQ(event["state"], "delivered");
}

TEST(DoorHistory, TellsOneReceiptAfterTheOther) {
    routertest::HookServer hook;
    DoorScene scene(withStore(webhookTo(hook)));
    DoorClient client = scene.client();
    scene.acceptedAs(client, someMessage, "17");
    Message early = receiptOf("17");
    early.text.replace(early.text.find("DELIVRD"), 7, "ENROUTE");
    scene.smsc.receipt(early);
    scene.smsc.receipt(receiptOf("17"));
    scene.smsc.deliver({.to = "12345", .text = "overtakes"});
    // Each is repeated until it is taken.
    std::vector<std::string> states;
    bool hasRefused = false;
    while (states.size() < 2) {
        const json event = json::parse([&] {
            const std::string request = hook.take();
            return request.substr(request.find("\r\n\r\n") + 4);
        }());
        if (event["event"] == "receipt" && !hasRefused) {
            hasRefused = true;
            hook.answer("HTTP/1.1 500 Internal Server Error\r\nContent-Length: 0\r\n\r\n");
            continue;
        }
        hook.accept();
        if (event["event"] == "receipt") states.push_back(event["state"]);
    }
    EXPECT_THAT(states, testing::ElementsAre("enroute", "delivered"));
}

TEST(DoorHistory, OfALongTextIsToldAgainAfterACrash) {
    routertest::HookServer hook;
    DoorScene scene(withStore(webhookTo(hook)));
    DoorClient client = scene.client();
    const json sent = longMessageSent(scene, client);
    expectSafe(scene, scene.smsc.receipt(receiptOf("17")));
    scene.smsc.receipt(receiptOf("18"));
    hook.take();
    scene.startAgain();
    // The SMSC has had no answer.
    const std::uint32_t last = scene.smsc.receipt(receiptOf("18"));
    const json event = taken(hook);
    expectSafe(scene, last);
    EXPECT_EQ(event["id"], sent["id"]);
    EXPECT_EQ(event["state"], "delivered");
}

TEST(DoorHistory, OfALongTextFailsWithItsFirstPart) {
    routertest::HookServer hook;
    DoorScene scene(withStore(webhookTo(hook)));
    DoorClient client = scene.client();
    const json sent = longMessageSent(scene, client);
    Message failed = receiptOf("18");
    failed.text.replace(failed.text.find("DELIVRD"), 7, "UNDELIV");
    const std::uint32_t first = scene.smsc.receipt(failed);
    const json event = taken(hook);
    expectSafe(scene, first);
    EXPECT_EQ(event["id"], sent["id"]);
    EXPECT_EQ(event["state"], "undeliverable");
    expectSafe(scene, scene.smsc.receipt(receiptOf("17")));
    EXPECT_EQ(client.get("/v1/messages/" + std::string(sent["id"])).json()["state"],
              "undeliverable");
}

TEST(DoorHistory, CancelsAllPartsOfALongText) {
    DoorScene scene(withStore());
    DoorClient client = scene.client();
    const json sent = longMessageSent(scene, client);
    client.send("DELETE", "/v1/messages/" + std::string(sent["id"]));
    std::vector<std::string> cancelled;
    for (int part = 0; part < 2; ++part) {
        const OwnedPdu request = scene.smsc.expect(Command::cancelSm);
        cancelled.push_back(request.id());
        EXPECT_EQ(request.text(Field::sourceAddress), "12345");
        EXPECT_EQ(request.text(Field::destinationAddress), "41791234567");
        scene.smsc.answer(request);
    }
    EXPECT_THAT(cancelled, testing::UnorderedElementsAre("17", "18"));
    EXPECT_EQ(client.next().json()["state"], "deleted");
}

TEST(DoorHistory, OfALongTextKnowsWhichPartsAreCancelled) {
    DoorScene scene(withStore());
    DoorClient client = scene.client();
    const json sent = longMessageSent(scene, client);
    const std::string path = "/v1/messages/" + std::string(sent["id"]);
    client.send("DELETE", path);
    for (int part = 0; part < 2; ++part) {
        const OwnedPdu request = scene.smsc.expect(Command::cancelSm);
        if (request.id() == "17") {
            scene.smsc.answer(request);
        } else {
            scene.smsc.refuse(request, Status::cancelFail);
        }
    }
    const HttpAnswer partly = client.next();
    EXPECT_EQ(partly.status, 207);
    EXPECT_EQ(partly.json()["id"], sent["id"]);
    EXPECT_EQ(partly.json()["not_cancelled"], json::array({sent["ids"][1]}));
    EXPECT_EQ(partly.json()["error"]["smpp_status"], "ESME_RCANCELFAIL");

    // The SMSC is asked about the other part.
    client.send("GET", path);
    const OwnedPdu query = scene.smsc.expect(Command::querySm);
    EXPECT_EQ(query.id(), "18");
    scene.smsc.refuse(query, Status::queryFail);
    const json shown = client.next().json();
    EXPECT_EQ(shown["state"], "accepted");
    ASSERT_EQ(shown["history"].size(), 2u);
    EXPECT_EQ(shown["history"][1]["event"], "cancelled");
    EXPECT_EQ(shown["history"][1]["id"], sent["ids"][0]);

    client.send("DELETE", path);
    const OwnedPdu again = scene.smsc.expect(Command::cancelSm);
    EXPECT_EQ(again.id(), "18");
    scene.smsc.answer(again);
    EXPECT_EQ(client.next().json()["state"], "deleted");
    EXPECT_EQ(client.get(path).json()["state"], "deleted");
    client.send("DELETE", path);
    EXPECT_EQ(client.next().status, 200);
    EXPECT_TRUE(scene.smsc.nothingArrives());
}

}  // namespace router::scenarios
