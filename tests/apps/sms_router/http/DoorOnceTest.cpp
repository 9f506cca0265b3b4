// Requests with an Idempotency-Key.
#include <gtest/gtest.h>

#include "apps/sms_router/http/DoorScene.h"

namespace router::scenarios {

namespace {

void post(DoorClient& client, const std::string& body, const std::string& key) {
    client.send("POST", "/v1/messages", body,
                "Content-Type: application/json\r\nIdempotency-Key: " + key + "\r\n");
}

HttpAnswer accepted(DoorScene& scene, DoorClient& client, const std::string& key) {
    post(client, someMessage, key);
    scene.smsc.answer(scene.smsc.nextSubmit(), "17");
    return client.next();
}

}  // namespace

TEST(DoorOnce, GetsTheSameAnswerAgainAndSendsNothing) {
    DoorScene scene(withStore());
    DoorClient client = scene.client();
    const HttpAnswer first = accepted(scene, client, "k1");
    EXPECT_EQ(first.status, 202);
    EXPECT_EQ(first.head.find("Idempotent-Replayed"), std::string::npos);
    post(client, someMessage, "k1");
    const HttpAnswer again = client.next();
    EXPECT_EQ(again.status, 202);
    EXPECT_EQ(again.body, first.body);
    EXPECT_NE(again.head.find("Idempotent-Replayed: true"), std::string::npos);
    EXPECT_NE(accepted(scene, client, "k2").body, first.body);
}

TEST(DoorOnce, GetsTheSameAnswerAfterARestart) {
    DoorScene scene(withStore());
    DoorClient client = scene.client();
    const HttpAnswer first = accepted(scene, client, "k1");
    scene.startAgain();
    DoorClient later = scene.client();
    post(later, someMessage, "k1");
    EXPECT_EQ(later.next().body, first.body);
}

TEST(DoorOnce, RefusesAnotherRequestWithTheKey) {
    DoorScene scene(withStore());
    DoorClient client = scene.client();
    accepted(scene, client, "k1");
    post(client, R"({"to": "1", "text": "other"})", "k1");
    EXPECT_EQ(client.next().status, 422);
}

TEST(DoorOnce, RefusesTheKeyWhileItIsUnderWay) {
    DoorScene scene(withStore());
    DoorClient client = scene.client();
    DoorClient hasty = scene.client();
    post(client, someMessage, "k1");
    const OwnedPdu submit = scene.smsc.nextSubmit();
    post(hasty, someMessage, "k1");
    EXPECT_EQ(hasty.next().status, 409);
    scene.smsc.answer(submit, "17");
    EXPECT_EQ(client.next().status, 202);
}

TEST(DoorOnce, IsTriedAgainWhereNothingWasAccepted) {
    DoorScene scene(withStore());
    DoorClient client = scene.client();
    post(client, someMessage, "k1");
    scene.smsc.refuse(scene.smsc.nextSubmit(), Status::throttled);
    EXPECT_EQ(client.next().status, 429);
    EXPECT_EQ(accepted(scene, client, "k1").status, 202);
}

TEST(DoorOnce, NeedsAStore) {
    DoorScene scene;
    DoorClient client = scene.client();
    post(client, someMessage, "k1");
    EXPECT_EQ(client.next().status, 422);
}

TEST(DoorOnce, RefusesAKeyThatIsNone) {
    DoorScene scene(withStore());
    DoorClient client = scene.client();
    for (const std::string& key : {std::string(), std::string(256, 'k')}) {
        post(client, someMessage, key);
        EXPECT_EQ(client.next().status, 400);
    }
    EXPECT_EQ(accepted(scene, client, std::string(255, 'k')).status, 202);
}

}  // namespace router::scenarios
