// Receipts and messages that an account fetches by HTTP.
#include <gtest/gtest.h>

#include <fstream>

#include "apps/sms_router/http/DoorScene.h"

namespace router::scenarios {

namespace {

using nlohmann::json;

constexpr const char* onlyReceives = "bind_types = [\"receiver\"]\n";

json pulled(DoorClient& client, const std::string& query = {}) {
    const HttpAnswer answer = client.get("/v1/messages" + query);
    EXPECT_EQ(answer.status, 200) << answer.body;
    return answer.json();
}
json pulledSince(DoorClient& client, const json& last) {
    return pulled(client, "?since=" + last["since"].get<std::string>());
}

// In the store: the SMSC has it no more.
void keeps(DoorScene& scene, const std::string& text) {
    const std::uint32_t sequence = scene.smsc.deliver({.to = "12345", .text = text});
    EXPECT_EQ(scene.smsc.expectAnswer(sequence).status(), Status::ok);
}

std::string textsOf(const json& pull) {
    std::string texts;
    for (const json& message : pull["messages"]) texts += message["text"].get<std::string>();
    return texts;
}

}  // namespace

TEST(DoorPull, HasReceiptsAndMessagesAsAWebhookGetsThem) {
    DoorScene scene;
    DoorClient client = scene.client();
    const std::string id = scene.acceptedAs(client, someMessage, "17").json()["id"];
    scene.smsc.expectAnswer(scene.smsc.receipt(receiptOf("17")));
    keeps(scene, "STOP");
    const json first = pulled(client);
    ASSERT_EQ(first["messages"].size(), 2u);
    const json& receipt = first["messages"][0];
    EXPECT_EQ(receipt["event"], "receipt");
    EXPECT_EQ(receipt["id"], id);
    EXPECT_EQ(receipt["state"], "delivered");
    const json& message = first["messages"][1];
    EXPECT_EQ(message["event"], "message");
    EXPECT_EQ(message["text"], "STOP");
    EXPECT_LT(receipt["delivery"].get<std::string>(), message["delivery"].get<std::string>());
    EXPECT_TRUE(pulledSince(client, first)["messages"].empty());
}

TEST(DoorPull, IsOfAsManyAsAreAskedFor) {
    DoorScene scene;
    DoorClient client = scene.client();
    for (const char* text : {"a", "b", "c"}) keeps(scene, text);
    const json two = pulled(client, "?limit=2");
    EXPECT_EQ(textsOf(two), "ab");
    EXPECT_EQ(textsOf(pulledSince(client, two)), "c");
}

TEST(DoorPull, GoesOnAfterARestart) {
    DoorScene scene({.router = {.durability = "commit"}});
    DoorClient before = scene.client();
    for (const char* text : {"a", "b", "c"}) keeps(scene, text);
    const json first = pulled(before, "?limit=1");
    const json second = pulled(before, "?limit=1&since=" + first["since"].get<std::string>());
    EXPECT_EQ(textsOf(second), "b");
    // Committed behind the acknowledgement of the first.
    keeps(scene, "d");
    scene.startAgain();
    DoorClient after = scene.client();
    const json again = pulledSince(after, second);
    EXPECT_EQ(textsOf(again), "bcd") << "which answer showed b is not known any more";
    EXPECT_EQ(again["messages"][0]["delivery"], second["messages"][0]["delivery"]);
    EXPECT_EQ(textsOf(pulledSince(after, again)), "");
}

TEST(DoorPull, EndsInTheAccessLog) {
    DoorScene scene({.router = {.router = "drain_timeout = \"0s\"", .records = true}});
    DoorClient client = scene.client();
    keeps(scene, "a");
    pulledSince(client, pulled(client));
    scene.smsc.close();
    scene.router.stop();
    EXPECT_EQ(scene.router.exitCode(), 0);
    std::ifstream file(scene.router.recordsFile());
    std::string line;
    ASSERT_TRUE(std::getline(file, line));
    EXPECT_EQ(json::parse(line)["outcome"], "delivered");
}

TEST(DoorPull, IsSeenByTheAdministrator) {
    DoorScene scene({.admin = true});
    DoorClient client = scene.client();
    keeps(scene, "a");
    pulled(client);
    EXPECT_EQ(client.get("/v1/messages?limit=0").status, 422);
    const json status = AdminClient(scene.admin).status();
    EXPECT_EQ(status["httpConnections"], 1);
    for (const json& account : status["accounts"]) {
        const bool isIts = account["systemId"] == "esme1";
        EXPECT_EQ(account["waiting"], isIts ? 1 : 0);
        const json answers{{"2xx", 1}, {"4xx", 1}};
        EXPECT_EQ(account["httpAnswers"], isIts ? answers : json::object());
    }
}

TEST(DoorPull, IsForAccountsThatMayReceive) {
    for (const auto& [types, status] :
         {std::pair("receiver", 200), {"transmitter", 403}, {"transceiver", 200}}) {
        DoorScene scene({.router = {.esme1 = std::string("bind_types = [\"") + types + "\"]"}});
        for (const std::string& authorization : {bearer, basic}) {
            EXPECT_EQ(scene.client(authorization).get("/v1/messages").status, status) << types;
        }
    }
}

TEST(DoorPull, IsRefusedToTheUnknown) {
    DoorScene scene;
    EXPECT_EQ(scene.client("").get("/v1/messages").status, 401);
}

TEST(DoorPull, SaysWhichNumberIsWrong) {
    DoorScene scene({.router = {.esme1 = onlyReceives}});
    DoorClient client = scene.client();
    for (const char* query : {"limit=0", "limit=1001", "limit=x", "limit=", "limit=-1", "since=x",
                              "since=-1", "since=1.5", "since=99999999999999999999"}) {
        const HttpAnswer answer = client.get(std::string("/v1/messages?") + query);
        EXPECT_EQ(answer.status, 422) << query;
        const std::string name(query, std::string(query).find('='));
        EXPECT_EQ(answer.json()["detail"].get<std::string>().find(name + ": "), 0u) << query;
    }
    EXPECT_EQ(client.get("/v1/messages?limit=1000&since=18446744073709551615").status, 200);
}

}  // namespace router::scenarios
