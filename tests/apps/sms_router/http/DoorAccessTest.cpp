// Who may use the HTTP door, and what else it answers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apps/sms_router/http/DoorScene.h"

namespace router::scenarios {

namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::MatchesRegex;

}  // namespace

TEST(DoorAccess, IsByKeyOrPassword) {
    DoorScene scene;
    for (const std::string& authorization : {bearer, basic, "bearer " + doorKey}) {
        DoorClient client = scene.client(authorization);
        EXPECT_EQ(client.get("/v1/account").json()["account"], "esme1");
    }
}

TEST(DoorAccess, IsRefusedToTheUnknown) {
    DoorScene scene({.router = {.router = "login_delay = 0"}});
    for (const std::string& authorization :
         {std::string(), std::string("Bearer nio_other"), std::string("Bearer "), wrongBasic,
          std::string("Basic bm9ib2R5OnNlY3JldDE="), std::string("Basic ===="),
          std::string("Basic !"), std::string("Digest x"), std::string("x")}) {
        DoorClient client = scene.client(authorization);
        for (const char* path : {"/v1/account", "/v1/segments?text=x", "/v1/messages/1"}) {
            const HttpAnswer answer = client.get(path);
            EXPECT_EQ(answer.status, 401) << authorization;
            EXPECT_THAT(answer.head, HasSubstr("\r\nWWW-Authenticate: Bearer "));
            EXPECT_THAT(answer.head, HasSubstr("\r\nContent-Type: application/problem+json"));
        }
        EXPECT_EQ(client.posted(someMessage).status, 401);
    }
    EXPECT_TRUE(scene.smsc.nothingArrives());
}

TEST(DoorAccess, HasItsGuessesInTheLog) {
    DoorScene scene;
    const std::string peer = " from 127\\.0\\.0\\.1:[0-9]+ refused";
    DoorClient password = scene.client(wrongBasic);
    EXPECT_EQ(password.get("/v1/account").status, 401);
    EXPECT_THAT(scene.router.logLine(),
                MatchesRegex("sms-router: warning: http: log-in with 'esme1'" + peer));
    DoorClient key = scene.client("Bearer nio_other");
    EXPECT_EQ(key.get("/v1/account").status, 401);
    EXPECT_THAT(scene.router.logLine(),
                MatchesRegex("sms-router: warning: http: log-in with an API key" + peer));
}

TEST(DoorAccess, SlowsDownGuessesOfPasswordsNotKeys) {
    // The next turn is in a minute, the one behind it too late.
    DoorScene scene({.router = {.router = "login_delay = \"1m\""}});
    DoorClient guesses = scene.client(wrongBasic);
    for (int i = 0; i < 5; ++i) EXPECT_EQ(guesses.get("/v1/account").status, 401);
    DoorClient one = scene.client(basic);
    DoorClient other = scene.client(basic);
    for (DoorClient* each : {&one, &other}) each->send("GET", "/v1/account");
    const HttpAnswer refused = firstAnswered(one, other).next();
    EXPECT_EQ(refused.status, 429);
    EXPECT_THAT(refused.head, HasSubstr("\r\nContent-Type: application/problem+json"));
    EXPECT_THAT(refused.head, HasSubstr("\r\nRetry-After: 1"));
    EXPECT_EQ(scene.client().get("/v1/account").status, 200);
}

TEST(DoorAccess, IsSlowedDownByTheGuessesOfBinds) {
    DoorScene scene({.router = {.router = "login_delay = \"1m\""}});
    for (int i = 0; i < 5; ++i) {
        EXPECT_EQ(scene.router.connected().bind({.password = "guess"}), Status::invPaswd);
    }
    DoorClient one = scene.client(basic);
    DoorClient other = scene.client(basic);
    for (DoorClient* each : {&one, &other}) each->send("GET", "/v1/account");
    EXPECT_EQ(firstAnswered(one, other).next().status, 429);
}

TEST(DoorAccess, IsFromWhereTheAccountMayBeUsed) {
    DoorScene scene({.router = {.esme1 = "allowed_from = [\"192.0.2.0/24\"]"}});
    for (const std::string& authorization : {bearer, basic}) {
        const HttpAnswer answer = scene.client(authorization).posted(someMessage);
        EXPECT_EQ(answer.status, 403);
        EXPECT_THAT(answer.head, HasSubstr("\r\nContent-Type: application/problem+json"));
    }
}

TEST(DoorAccess, IsForAccountsThatMaySend) {
    for (const auto& [types, status] :
         {std::pair("receiver", 403), {"transmitter", 200}, {"transceiver", 200}}) {
        DoorScene scene({.router = {.esme1 = std::string("bind_types = [\"") + types + "\"]"}});
        EXPECT_EQ(scene.client().get("/v1/account").status, status) << types;
    }
}

TEST(DoorAccess, EndsWithTheKey) {
    DoorScene scene;
    DoorClient client = scene.client();
    EXPECT_EQ(scene.acceptedAs(client, someMessage, "17").status, 202);
    scene.router.setup().esme1.clear();
    scene.router.writeConfig();
    EXPECT_EQ(scene.router.reload(), "sms-router: info: configuration reloaded");
    EXPECT_EQ(client.posted(someMessage).status, 401);
    EXPECT_EQ(scene.client(basic).get("/v1/account").status, 200);
}

TEST(DoorAccess, EndsWithTheAccountWhileAMessageIsUnderWay) {
    const std::string key = "\napi_keys = [\"" + apiKeyDigest("nio_3") + "\"]\n";
    DoorScene scene;
    const std::string before = scene.router.setup().more;
    scene.router.setup().more += "[account.esme3]\npassword = \"secret3\"" + key;
    scene.router.writeConfig();
    scene.router.reload();
    DoorClient client = scene.client("Bearer nio_3");
    client.post(someMessage);
    const OwnedPdu submit = scene.smsc.nextSubmit();
    scene.router.setup().more = before;
    scene.router.writeConfig();
    scene.router.reload();
    scene.smsc.answer(submit, "17");
    EXPECT_EQ(client.next().status, 202);
    EXPECT_EQ(client.posted(someMessage).status, 401);
}

TEST(DoorAccess, IsDrainedWithTheRouter) {
    DoorScene scene({.router = {.router = "threads = 1"}});
    SmppPeer esme = scene.router.bound("esme1");
    DoorClient client = scene.client();
    DoorClient late = scene.client();
    EXPECT_EQ(late.get("/v1/account").status, 200);
    client.post(someMessage);
    const OwnedPdu submit = scene.smsc.nextSubmit();
    scene.router.signal(SIGTERM);
    esme.answer(esme.expect(Command::unbind));
    EXPECT_TRUE(esme.closedByPeer());
    esme.close();
    try {
        late.post(someMessage);
        const auto answer = late.nextOrEnd();
        EXPECT_TRUE(!answer || answer->status == 503);
    } catch (const std::exception&) {
        // It has ended already.
    }
    scene.smsc.answer(submit, "17");
    EXPECT_EQ(client.next().status, 202);
    EXPECT_FALSE(client.nextOrEnd());
    scene.smsc.answer(scene.smsc.expect(Command::unbind));
    EXPECT_TRUE(scene.smsc.closedByPeer());
    scene.smsc.close();
    EXPECT_EQ(scene.router.exitCode(), 0);
}

TEST(DoorAccess, TakesNoLongerBodyThanItMay) {
    DoorScene scene({.http = "max_body = 1024"});
    DoorClient client = scene.client();
    EXPECT_EQ(client.posted("{}" + std::string(1022, ' ')).status, 422);
    EXPECT_EQ(client.posted("{}" + std::string(1023, ' ')).status, 413);
    EXPECT_FALSE(client.nextOrEnd());
}

TEST(DoorAccess, ShowsWhatTheAccountHasSent) {
    DoorScene scene({.router = {.esme1 = "messages_per_second = 1000"}, .admin = true});
    DoorClient client = scene.client();
    scene.acceptedAs(client, someMessage, "17");
    scene.refused(client, someMessage, Status::invDstAdr);
    scene.refused(client, someMessage, Status::throttled);
    client.posted("{}");
    const json expected{{"account", "esme1"}, {"messages_per_second", 1000},
                        {"submitted", 3},     {"accepted", 1},
                        {"refused", 2},       {"throttled", 1}};
    EXPECT_EQ(client.get("/v1/account").json(), expected);
    const json accounts = AdminClient(scene.admin).status()["accounts"];
    for (const json& account : accounts) {
        if (account["systemId"] != "esme1") continue;
        EXPECT_EQ(account["counters"]["submitted"], 3);
        EXPECT_EQ(account["counters"]["accepted"], 1);
        const json refused{{"ESME_RINVDSTADR", 1}, {"ESME_RTHROTTLED", 1}};
        EXPECT_EQ(account["refusedByStatus"], refused);
    }
}

TEST(DoorAccess, AsksTheSmscForAState) {
    DoorScene scene;
    DoorClient client = scene.client();
    const std::string id = scene.acceptedAs(client, someMessage, "17").json()["id"];
    client.send("GET", "/v1/messages/" + id + "?from=12345");
    const OwnedPdu query = scene.smsc.expect(Command::querySm);
    EXPECT_EQ(query.id(), "17");
    EXPECT_EQ(query.text(Field::sourceAddress), "12345");
    scene.smsc.send(PduWriter(Command::querySmResp, Status::ok, query.sequence())
                        .text("17")
                        .text("240229235959000+")
                        .number(3)
                        .number(3)
                        .finish());
    const json expected{
        {"id", id}, {"state", "expired"}, {"final_date", "240229235959000+"}, {"error", 3}};
    EXPECT_EQ(client.next().json(), expected);
}

TEST(DoorAccess, CancelsAMessage) {
    DoorScene scene;
    DoorClient client = scene.client();
    const std::string id = scene.acceptedAs(client, someMessage, "17").json()["id"];
    const std::string path = "/v1/messages/" + id + "?from=12345&to=%2B41791234567";
    client.send("DELETE", path);
    const OwnedPdu cancel = scene.smsc.expect(Command::cancelSm);
    EXPECT_EQ(cancel.id(), "17");
    EXPECT_EQ(cancel.text(Field::sourceAddress), "12345");
    EXPECT_EQ(cancel.text(Field::destinationAddress), "41791234567");
    EXPECT_EQ(cancel->number(Field::destinationTon), 1);
    scene.smsc.answer(cancel);
    const HttpAnswer answer = client.next();
    EXPECT_EQ(answer.status, 200);
    const json expected{{"id", id}, {"state", "deleted"}};
    EXPECT_EQ(answer.json(), expected);
    client.send("DELETE", path);
    scene.smsc.refuse(scene.smsc.expect(Command::cancelSm), Status::cancelFail);
    EXPECT_EQ(client.next().json()["smpp_status"], "ESME_RCANCELFAIL");
}

TEST(DoorAccess, KnowsNoMessageOfAnotherId) {
    DoorScene scene;
    DoorClient client = scene.client();
    for (const std::string& id : {std::string("0"), std::string("x"), std::string(16, 'F'),
                                  std::string("%2E"), std::string(65, 'A')}) {
        for (const char* method : {"GET", "DELETE"}) {
            client.send(method, "/v1/messages/" + id);
            const HttpAnswer answer = client.next();
            EXPECT_EQ(answer.status, 404) << method << " " << id << " " << answer.body;
        }
    }
    EXPECT_TRUE(scene.smsc.nothingArrives());
}

TEST(DoorAccess, ShowsHowATextIsSent) {
    DoorScene scene;
    DoorClient client = scene.client();
    const json expected{
        {"encoding", "gsm"}, {"parts", 1}, {"characters", 7}, {"units", 8}, {"units_left", 152}};
    EXPECT_EQ(client.get("/v1/segments?text=hello+%E2%82%AC").json(), expected);
    EXPECT_EQ(client.get("/v1/segments?text=x&encoding=ucs2").json()["encoding"], "ucs2");
    EXPECT_EQ(client.get("/v1/segments?text=%FF").status, 422);
    EXPECT_EQ(client.get("/v1/segments?text=x&encoding=utf8").status, 422);
}

TEST(DoorAccess, DescribesItselfToAll) {
    DoorScene scene;
    const HttpAnswer answer = scene.client("").get("/v1/openapi.json");
    EXPECT_EQ(answer.status, 200);
    EXPECT_TRUE(answer.json()["paths"]["/v1/messages"].contains("post"));
}

}  // namespace router::scenarios
