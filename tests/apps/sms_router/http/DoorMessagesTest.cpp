// Messages by HTTP through the whole router: what the SMSC gets, what the sender is answered.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include "apps/sms_router/http/DoorScene.h"

namespace router::scenarios {

namespace {

using nlohmann::json;
using testing::HasSubstr;

std::string batchOf(int count) {
    json messages = json::array();
    for (int i = 0; i < count; ++i) {
        messages.push_back({{"to", std::to_string(1000 + i)}, {"text", std::to_string(i)}});
    }
    return json{{"messages", messages}}.dump();
}

bool isProblem(const HttpAnswer& answer) {
    return answer.head.find("\r\nContent-Type: application/problem+json") != std::string::npos &&
           answer.json()["status"] == answer.status && answer.json().contains("title") &&
           answer.json().contains("detail");
}

}  // namespace

TEST(DoorMessages, AreAnsweredOnceTheSmscHasAccepted) {
    DoorScene scene;
    DoorClient client = scene.client();
    client.post(R"({"from": "Shop", "to": "+41791234567", "text": "hello", "receipt": true})");
    const OwnedPdu submit = scene.smsc.nextSubmit();
    EXPECT_EQ(submit.text(Field::sourceAddress), "Shop");
    EXPECT_EQ(submit->number(Field::sourceTon), 5);
    EXPECT_EQ(submit.text(Field::destinationAddress), "41791234567");
    EXPECT_EQ(submit->number(Field::destinationTon), 1);
    EXPECT_EQ(submit->number(Field::registeredDelivery), 1);
    EXPECT_EQ(submit.message(), "hello");
    scene.smsc.answer(submit, "17");
    const HttpAnswer answer = client.next();
    EXPECT_EQ(answer.status, 202);
    EXPECT_THAT(answer.head, HasSubstr("\r\nContent-Type: application/json"));
    const std::string id = answer.json()["id"];
    EXPECT_EQ(id.size(), 16u);
    const json expected{{"id", id}, {"to", "41791234567"}, {"encoding", "gsm"}, {"parts", 1}};
    EXPECT_EQ(answer.json(), expected);
}

TEST(DoorMessages, MayBeAThousandInOneRequest) {
    DoorScene scene;
    DoorClient client = scene.client();
    client.post(batchOf(1000));
    for (int i = 0; i < 1000; ++i) {
        const OwnedPdu submit = scene.smsc.nextSubmit();
        ASSERT_EQ(submit.message(), std::to_string(i));
        scene.smsc.answer(submit, "id" + std::to_string(i));
    }
    const HttpAnswer answer = client.next();
    EXPECT_EQ(answer.status, 202);
    const json messages = answer.json()["messages"];
    ASSERT_EQ(messages.size(), 1000u);
    for (std::size_t i = 0; i < messages.size(); ++i) {
        ASSERT_EQ(messages[i]["to"], std::to_string(1000 + i));
    }
}

TEST(DoorMessages, AreAThousandAtMost) {
    DoorScene scene;
    DoorClient client = scene.client();
    const HttpAnswer answer = client.posted(batchOf(1001));
    EXPECT_EQ(answer.status, 413);
    EXPECT_TRUE(isProblem(answer)) << answer.head;
    EXPECT_TRUE(scene.smsc.nothingArrives());
}

TEST(DoorMessages, OfOneRequestHaveTheirResultsInOrder) {
    DoorScene scene;
    DoorClient client = scene.client();
    client.post(R"({"messages": [{"to": "1", "text": "a"}, {"text": "b"}, {"to": "3", "text": "c"},
                                 {"to": "4", "text": "d"}, {"to": "5", "txt": "e"}, 7]})");
    std::vector<OwnedPdu> submits;
    for (int i = 0; i < 3; ++i) submits.push_back(scene.smsc.nextSubmit());
    scene.smsc.answer(submits[2], "19");
    scene.smsc.refuse(submits[1], Status::invDstAdr);
    scene.smsc.answer(submits[0], "17");
    const HttpAnswer answer = client.next();
    EXPECT_EQ(answer.status, 207);
    const json messages = answer.json()["messages"];
    ASSERT_EQ(messages.size(), 6u);
    EXPECT_EQ(messages[0]["to"], "1");
    EXPECT_EQ(messages[1]["error"]["status"], 422);
    EXPECT_EQ(messages[1]["error"]["detail"], "to: is missing");
    EXPECT_FALSE(messages[1].contains("id"));
    EXPECT_EQ(messages[2]["error"]["smpp_status"], "ESME_RINVDSTADR");
    EXPECT_EQ(messages[3]["to"], "4");
    EXPECT_TRUE(messages[3].contains("id"));
    EXPECT_THAT(messages[4]["error"]["detail"].get<std::string>(), HasSubstr("'txt'"));
    EXPECT_EQ(messages[5]["error"]["detail"], "a message must be an object");
}

TEST(DoorMessages, AreAnswered207WhereAllAreRefused) {
    DoorScene scene;
    DoorClient client = scene.client();
    const HttpAnswer answer = client.posted(R"({"messages": [{"text": "a"}]})");
    EXPECT_EQ(answer.status, 207);
    EXPECT_EQ(answer.json()["messages"].size(), 1u);
}

TEST(DoorMessages, ThatAreLongGoOutInParts) {
    DoorScene scene;
    DoorClient client = scene.client();
    const std::string text = std::string(153, 'x') + std::string(47, 'y');
    std::vector<std::string> references;
    for (int i = 0; i < 2; ++i) {
        client.post(R"({"to": "1", "text": ")" + text + "\"}");
        const OwnedPdu first = scene.smsc.nextSubmit();
        const OwnedPdu second = scene.smsc.nextSubmit();
        for (const OwnedPdu* part : {&first, &second}) {
            EXPECT_EQ((*part)->number(Field::esmClass), 0x40);
        }
        references.push_back(first.message().substr(3, 1));
        const std::string header = std::string("\x05\0\x03", 3) + references.back() + "\x02";
        EXPECT_EQ(first.message(), header + "\x01" + std::string(153, 'x'));
        EXPECT_EQ(second.message(), header + "\x02" + std::string(47, 'y'));
        scene.smsc.answer(second, "18");
        scene.smsc.answer(first, "17");
        const HttpAnswer answer = client.next();
        EXPECT_EQ(answer.status, 202);
        EXPECT_EQ(answer.json()["parts"], 2);
        ASSERT_EQ(answer.json()["ids"].size(), 2u);
        const std::set<nlohmann::json> different{answer.json()["id"], answer.json()["ids"][0],
                                                 answer.json()["ids"][1]};
        EXPECT_EQ(different.size(), 3u);
    }
    EXPECT_NE(references[0], references[1]);
}

TEST(DoorMessages, OfWhichAPartIsRefusedNameWhatWasAccepted) {
    DoorScene scene;
    DoorClient client = scene.client();
    client.post(R"({"to": "1", "text": ")" + std::string(161, 'x') + "\"}");
    scene.smsc.refuse(scene.smsc.nextSubmit(), Status::msgQFul);
    scene.smsc.answer(scene.smsc.nextSubmit(), "18");
    const HttpAnswer answer = client.next();
    EXPECT_EQ(answer.status, 207);
    EXPECT_EQ(answer.json()["ids"].size(), 1u);
    EXPECT_EQ(answer.json()["error"]["smpp_status"], "ESME_RMSGQFUL");
}

TEST(DoorMessages, HaveTheStatusOfTheSmsc) {
    DoorScene scene;
    DoorClient client = scene.client();
    const std::tuple<Status, int, bool> rows[]{{Status::invDstAdr, 422, false},
                                               {Status::xPAppn, 422, false},
                                               {Status::sysErr, 503, true},
                                               {Status::throttled, 429, true}};
    for (const auto& [refusal, status, isLater] : rows) {
        const HttpAnswer answer = scene.refused(client, someMessage, refusal);
        EXPECT_EQ(answer.status, status);
        EXPECT_TRUE(isProblem(answer)) << answer.head;
        EXPECT_EQ(answer.json()["smpp_status"], smpp::nameOf(refusal));
        EXPECT_EQ(answer.head.find("\r\nRetry-After: 1") != answer.head.npos, isLater);
    }
}

TEST(DoorMessages, KeepToTheRateOfTheAccount) {
    DoorScene scene({.router = {.esme1 = "messages_per_second = 0.001"}});
    DoorClient client = scene.client();
    EXPECT_EQ(scene.acceptedAs(client, someMessage, "17").status, 202);
    const HttpAnswer answer = client.posted(someMessage);
    EXPECT_EQ(answer.status, 429);
    EXPECT_THAT(answer.head, HasSubstr("\r\nRetry-After: 1"));
    EXPECT_EQ(answer.json()["smpp_status"], "ESME_RTHROTTLED");
}

TEST(DoorMessages, KeepToWhatTheAccountMayDo) {
    DoorScene scene({.router = {.esme1 = "sources = [\"12345\"]\ndestinations = [\"41*\"]"}});
    DoorClient client = scene.client();
    const auto statusOf = [&](const std::string& from, const std::string& to) {
        const HttpAnswer answer =
            client.posted(json{{"from", from}, {"to", to}, {"text", "x"}}.dump());
        EXPECT_EQ(answer.status, 422);
        return answer.json()["smpp_status"].get<std::string>();
    };
    EXPECT_EQ(statusOf("Shop", "41791234567"), "ESME_RINVSRCADR");
    EXPECT_EQ(statusOf("12345", "4977"), "ESME_RINVDSTADR");
    EXPECT_TRUE(scene.smsc.nothingArrives());
}

TEST(DoorMessages, AreRefusedWithoutAnSmscThatIsBound) {
    DoorScene scene;
    SmppPeer esme = scene.router.bound("esme1");
    scene.listener.stopListening();
    scene.smsc.close();
    // Then it is known that the SMSC is away.
    EXPECT_NE(esme.expectAnswer(esme.submit({})).status(), Status::ok);
    DoorClient client = scene.client();
    const HttpAnswer answer = client.posted(someMessage);
    EXPECT_EQ(answer.status, 503);
    EXPECT_THAT(answer.head, HasSubstr("\r\nRetry-After: 1"));
    EXPECT_EQ(answer.json()["smpp_status"], "ESME_RSYSERR");
}

TEST(DoorMessages, AreAnsweredWhereTheSmscIsSilent) {
    DoorScene scene({.connector = "response = \"50ms\""});
    DoorClient client = scene.client();
    client.post(someMessage);
    scene.smsc.nextSubmit();
    const HttpAnswer answer = client.next();
    EXPECT_EQ(answer.status, 503);
    EXPECT_TRUE(isProblem(answer)) << answer.head;
}

TEST(DoorMessages, CountThoughTheirSenderHasLeft) {
    DoorScene scene;
    DoorClient other = scene.client();
    {
        DoorClient client = scene.client();
        client.post(batchOf(2));
        scene.smsc.answer(scene.smsc.nextSubmit(), "17");
    }
    scene.smsc.answer(scene.smsc.nextSubmit(), "18");
    const nio::TimePoint end = nio::Clock::after(patience);
    while (other.get("/v1/account").json()["accepted"] != 2) ASSERT_LT(nio::Clock::now(), end);
    EXPECT_EQ(scene.acceptedAs(other, someMessage, "19").status, 202);
}

TEST(DoorMessages, ThatArePipelinedAreAnsweredInOrder) {
    DoorScene scene;
    DoorClient client = scene.client();
    for (const char* to : {"1", "2", "3"}) client.post(json{{"to", to}, {"text", "x"}}.dump());
    client.send("GET", "/v1/segments?text=x");
    for (const char* to : {"1", "2", "3"}) {
        const OwnedPdu submit = scene.smsc.nextSubmit();
        EXPECT_EQ(submit.text(Field::destinationAddress), to);
        scene.smsc.answer(submit, to);
    }
    for (const char* to : {"1", "2", "3"}) EXPECT_EQ(client.next().json()["to"], to);
    EXPECT_EQ(client.next().json()["parts"], 1);
}

TEST(DoorMessages, HaveTheirReceiptsAtTheBindOfTheAccount) {
    DoorScene scene;
    SmppPeer esme = scene.router.bound("esme1");
    DoorClient client = scene.client();
    const std::string id = scene
                               .acceptedAs(client,
                                           R"({"from": "12345", "to": "41791234567",
                                               "text": "hello", "receipt": true})",
                                           "17")
                               .json()["id"];
    const std::uint32_t sequence = scene.smsc.receipt(receiptOf("17"));
    const OwnedPdu receipt = esme.expect(Command::deliverSm);
    EXPECT_TRUE(sameOctets(receipt.numbered(0), deliverSm(0, receiptOf(id))));
    esme.answer(receipt);
    EXPECT_EQ(scene.smsc.expectAnswer(sequence).status(), Status::ok);
}

TEST(DoorMessages, AndThoseOfABindGoOutSideBySide) {
    DoorScene scene;
    SmppPeer esme = scene.router.bound("esme1");
    DoorClient client = scene.client();
    const std::uint32_t sent = esme.submit({.text = "by SMPP"});
    const OwnedPdu bySmpp = scene.smsc.nextSubmit();
    client.post(someMessage);
    const OwnedPdu byHttp = scene.smsc.nextSubmit();
    scene.smsc.answer(byHttp, "18");
    const std::string id = client.next().json()["id"];
    scene.smsc.answer(bySmpp, "17");
    const OwnedPdu answer = esme.expectAnswer(sent);
    EXPECT_EQ(answer.status(), Status::ok);
    EXPECT_NE(answer.id(), id);
    EXPECT_EQ(client.get("/v1/account").json()["accepted"], 2);
}

TEST(DoorMessages, AreUnderstoodOrRefusedWhole) {
    DoorScene scene;
    DoorClient client = scene.client();
    const std::string deep = std::string(100'000, '[') + std::string(100'000, ']');
    for (const std::string& body :
         {std::string(), std::string("{"), std::string("[]"), std::string("\"x\""),
          std::string("null"), std::string(R"({"to": "1", "text": "\uD83D"})"),
          std::string(R"({"to": "1", "text": "x", "priority": 1e400})"), deep,
          std::string(100'000, '['), std::string("{\"to\": \"\xFF\"}"),
          std::string(R"({"messages": []})"), std::string(R"({"messages": {}})"),
          std::string(R"({"messages": null})"),
          std::string(R"({"messages": [{"to": "1", "text": "x"}], "from": "x"})")}) {
        const HttpAnswer answer = client.posted(body);
        EXPECT_EQ(answer.status, 400) << body.substr(0, 80);
        EXPECT_TRUE(isProblem(answer)) << answer.head;
    }
    EXPECT_EQ(client.posted("{}").status, 422);
    EXPECT_TRUE(scene.smsc.nothingArrives());
}

TEST(DoorMessages, AreJson) {
    DoorScene scene;
    DoorClient client = scene.client();
    const auto statusOf = [&](const std::string& type) {
        client.send("POST", "/v1/messages", "{}", "Content-Type: " + type + "\r\n");
        return client.next().status;
    };
    for (const char* type : {"application/json", "Application/JSON; charset=utf-8",
                             "application/json;charset=utf-8", "application/json ;x=y"}) {
        EXPECT_EQ(statusOf(type), 422) << type;
    }
    for (const char* type : {"text/plain", "application/x-www-form-urlencoded", "application/jsonl",
                             "application/json-patch+json"}) {
        EXPECT_EQ(statusOf(type), 415) << type;
    }
    client.send("POST", "/v1/messages", "{}");
    EXPECT_EQ(client.next().status, 422);
}

}  // namespace router::scenarios
