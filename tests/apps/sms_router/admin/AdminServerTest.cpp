// The routes, over real sockets.
#include "sms_router/admin/AdminServer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "apps/sms_router/admin/FakeRouter.h"
#include "apps/sms_router/admin/MetricsReader.h"
#include "support/TestClient.h"
#include "support/TestDispatcher.h"
#include "support/TurnUntil.h"

namespace {

using nlohmann::json;
using routertest::FakeRouter;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

struct Answer {
    int status = 0;
    std::string head;
    std::string body;
};

class AdminServerTest : public testing::Test {
  protected:
    void start(const std::string& token = "") {
        router::AdminOptions options;
        options.token = token;
        server = std::make_unique<router::AdminServer>(
            router::AdminServer::open(
                nio::ServerSocketChannel::open(nio::SocketAddress::loopback4(0)).orThrow(), options,
                *dispatcher, fake.calls())
                .orThrow());
        ASSERT_TRUE(server->start());
    }

    Answer ask(const std::string& method, const std::string& path,
               const std::string& headers = "Host: localhost\r\n", const std::string& body = "") {
        support::TestClient client(server->address());
        client.send(method + " " + path + " HTTP/1.1\r\n" + headers + "Connection: close\r\n\r\n" +
                    body);
        EXPECT_TRUE(support::turnUntil(*dispatcher, [&] {
            client.pump();
            return client.hasEnded();
        }));
        const std::string all = client.received();
        const std::size_t end = std::min(all.find("\r\n\r\n"), all.size());
        EXPECT_THAT(all, StartsWith("HTTP/1.1 "));
        return {std::atoi(all.substr(9, 3).c_str()), all.substr(0, end + 2), all.substr(end + 4)};
    }
    Answer get(const std::string& path) { return ask("GET", path); }
    Answer post(const std::string& path) { return ask("POST", path); }

    FakeRouter fake;
    support::TestDispatcher dispatcher;
    std::unique_ptr<router::AdminServer> server;
};

TEST_F(AdminServerTest, ServesThePage) {
    start();
    const Answer page = get("/");
    EXPECT_EQ(page.status, 200);
    EXPECT_THAT(page.head, HasSubstr("Content-Type: text/html; charset=utf-8\r\n"));
    EXPECT_THAT(page.body, StartsWith("<!DOCTYPE html>"));
    EXPECT_THAT(fake.asked, IsEmpty());
}

TEST_F(AdminServerTest, ServesTheStatus) {
    start();
    const Answer answer = get("/status.json");
    EXPECT_EQ(answer.status, 200);
    EXPECT_THAT(answer.head, HasSubstr("Content-Type: application/json\r\n"));
    const json status = json::parse(answer.body);
    EXPECT_EQ(status["accounts"][0]["systemId"], "esme1");
    EXPECT_EQ(status["accounts"][0]["binds"].size(), 2U);
    EXPECT_EQ(status["connectors"].size(), 3U);
}

TEST_F(AdminServerTest, ServesTheBindsThatAreAskedFor) {
    start();
    fake.now.accounts[1].systemId = "a&b c";
    const json status =
        json::parse(get("/status.json?binds=none&account=a%26b+c&connector=north").body);
    EXPECT_FALSE(status["accounts"][0].contains("binds"));
    EXPECT_TRUE(status["accounts"][1].contains("binds"));
    EXPECT_TRUE(status["connectors"][0].contains("binds"));
    EXPECT_FALSE(status["connectors"][1].contains("binds"));
}

TEST_F(AdminServerTest, ServesMetrics) {
    start();
    const Answer answer = get("/metrics");
    EXPECT_EQ(answer.status, 200);
    EXPECT_THAT(answer.head,
                HasSubstr("Content-Type: text/plain; version=0.0.4; charset=utf-8\r\n"));
    EXPECT_EQ(routertest::MetricsReader(answer.body).value("sms_router_connections"), 8);
}

TEST_F(AdminServerTest, SaysWhetherItIsWell) {
    start("secret");
    EXPECT_EQ(get("/healthz").status, 200);
    EXPECT_EQ(get("/healthz").body, "ok\n");
    fake.now.store.alarm = true;
    EXPECT_EQ(get("/healthz").status, 503);
    EXPECT_EQ(get("/healthz").body, "the store cannot write\n");
    fake.now.draining = true;
    EXPECT_EQ(get("/healthz").body, "draining\n");
}

TEST_F(AdminServerTest, NamesADispatcherThatHangs) {
    start();
    fake.now.silent = {"smpp-2"};
    EXPECT_EQ(get("/healthz").status, 503);
    EXPECT_EQ(get("/healthz").body, "dispatcher smpp-2 does not answer\n");
    EXPECT_EQ(get("/status.json").status, 503);
    EXPECT_EQ(json::parse(get("/status.json").body)["error"], "dispatcher smpp-2 does not answer");
    fake.hangs = "smpp-1";
    for (const Answer& answer : {get("/explain?account=esme1"), post("/connectors/smsc1/stop")}) {
        EXPECT_EQ(answer.status, 503);
        EXPECT_EQ(json::parse(answer.body)["error"], "dispatcher smpp-1 does not answer");
    }
}

TEST_F(AdminServerTest, ExplainsRoutes) {
    start();
    fake.lines = {"route one does not match", "route \"two\" does"};
    const Answer answer =
        get("/explain?account=esme1&from=%2B49170&to=4366+0&service_type=CMT&data_coding=8");
    EXPECT_EQ(answer.status, 200);
    EXPECT_EQ(json::parse(answer.body), json({{"lines", fake.lines}}));
    EXPECT_EQ(fake.explained.account, "esme1");
    EXPECT_EQ(fake.explained.source, "+49170");
    EXPECT_EQ(fake.explained.destination, "4366 0");
    EXPECT_EQ(fake.explained.serviceType, "CMT");
    EXPECT_EQ(fake.explained.dataCoding, 8);
}

TEST_F(AdminServerTest, ExplainsWhereAMessageOfAnSmscGoes) {
    start();
    EXPECT_EQ(get("/explain?connector=smsc1&from=49170&to=1234&account=").status, 200);
    EXPECT_EQ(fake.explained.connector, "smsc1");
    EXPECT_EQ(fake.explained.destination, "1234");
    EXPECT_EQ(get("/explain?connector=smsc1&service_type=&data_coding=").status, 200);
    EXPECT_THAT(fake.asked, ElementsAre("explain", "explain"));
}

TEST_F(AdminServerTest, RefusesWhatAMessageOfAnSmscDoesNotHave) {
    start();
    const auto refusal = [this](const std::string& more) {
        const Answer answer = get("/explain?connector=smsc1&to=1&" + more);
        EXPECT_EQ(answer.status, 400) << more;
        return json::parse(answer.body).value("error", "");
    };
    EXPECT_EQ(refusal("account=esme1"), "give either an account or a connector");
    const char* notOfIt = "service_type and data_coding apply only to a message of an account";
    EXPECT_EQ(refusal("service_type=VMA"), notOfIt);
    EXPECT_EQ(refusal("data_coding=0"), notOfIt);
    EXPECT_THAT(fake.asked, IsEmpty());
}

TEST_F(AdminServerTest, WhatAnExplanationDoesNotSayIsEmpty) {
    start();
    EXPECT_EQ(get("/explain?to=1").status, 200);
    EXPECT_EQ(fake.explained.account, "");
    EXPECT_EQ(fake.explained.connector, "");
    EXPECT_EQ(fake.explained.dataCoding, 0);
    EXPECT_EQ(get("/explain?data_coding=").status, 200);
    EXPECT_EQ(get("/explain?data_coding=0xf5").status, 200);
    EXPECT_EQ(fake.explained.dataCoding, 0xF5);
}

TEST_F(AdminServerTest, ADataCodingIsANumberOfOneOctet) {
    start();
    for (const char* const wrong : {"256", "-1", "x", "1x", "0x", "0x100", "1.5", "+1"}) {
        const Answer answer = get(std::string("/explain?data_coding=") + wrong);
        EXPECT_EQ(answer.status, 400) << wrong;
        EXPECT_EQ(json::parse(answer.body)["error"], "data_coding is a number from 0 to 255");
    }
    EXPECT_THAT(fake.asked, IsEmpty());
}

TEST_F(AdminServerTest, ReloadsTheConfiguration) {
    start();
    fake.reloaded.warnings = {"admin takes effect after a restart"};
    const Answer fine = post("/reload");
    EXPECT_EQ(fine.status, 200);
    EXPECT_EQ(json::parse(fine.body),
              json({{"mistakes", json::array()}, {"warnings", fake.reloaded.warnings}}));
    fake.reloaded = {.mistakes = {"router.toml:3: no such connector: \"x\"", "router.toml:9: bad"}};
    const Answer bad = post("/reload");
    EXPECT_EQ(bad.status, 422);
    EXPECT_THAT(bad.head, StartsWith("HTTP/1.1 422 Unprocessable Entity\r\n"));
    EXPECT_EQ(json::parse(bad.body),
              json({{"mistakes", fake.reloaded.mistakes}, {"warnings", json::array()}}));
    EXPECT_THAT(fake.asked, ElementsAre("reload", "reload"));
}

TEST_F(AdminServerTest, SaysWhyAReloadWasNotEvenTried) {
    start();
    fake.reloaded = {.refusal = "the router is draining"};
    const Answer answer = post("/reload");
    EXPECT_EQ(answer.status, 503);
    EXPECT_EQ(json::parse(answer.body), json({{"error", "the router is draining"}}));
}

TEST_F(AdminServerTest, StopsAndStartsConnectors) {
    start();
    fake.now.connectors[0].name = "a/b c";
    const Answer stopped = post("/connectors/a%2Fb%20c/stop");
    EXPECT_EQ(stopped.status, 200);
    EXPECT_EQ(json::parse(stopped.body), json({{"connector", "a/b c"}, {"stopped", true}}));
    EXPECT_TRUE(fake.now.connectors[0].stopped);
    const Answer started = post("/connectors/a%2Fb%20c/start");
    EXPECT_EQ(json::parse(started.body), json({{"connector", "a/b c"}, {"stopped", false}}));
    EXPECT_THAT(fake.asked, ElementsAre("stop a/b c", "start a/b c"));
    const Answer unknown = post("/connectors/none/stop");
    EXPECT_EQ(unknown.status, 404);
    EXPECT_EQ(json::parse(unknown.body)["error"], "unknown connector none");
}

TEST_F(AdminServerTest, ReadingChangesNothing) {
    start();
    for (const char* const path :
         {"/reload", "/connectors/north/stop", "/connectors/north/start"}) {
        const Answer answer = get(path);
        EXPECT_EQ(answer.status, 405) << path;
        EXPECT_THAT(answer.head, HasSubstr("Allow: POST\r\n"));
    }
    for (const char* const path : {"/", "/status.json", "/metrics", "/explain"}) {
        EXPECT_EQ(post(path).status, 405) << path;
        EXPECT_EQ(ask("HEAD", path).status, 200) << path;
        EXPECT_EQ(ask("HEAD", path).body, "") << path;
    }
    EXPECT_EQ(get("/nothing").status, 404);
    EXPECT_THAT(fake.asked, Not(testing::Contains("reload")));
}

TEST_F(AdminServerTest, EveryAnswerIsGuarded) {
    start();
    for (const char* const path : {"/", "/metrics", "/nothing", "/%zz", "nonsense"}) {
        const std::string head = get(path).head;
        EXPECT_THAT(head, HasSubstr("Content-Security-Policy: default-src 'none';")) << path;
        EXPECT_THAT(head, HasSubstr("X-Content-Type-Options: nosniff\r\n")) << path;
        EXPECT_THAT(head, HasSubstr("Cache-Control: no-store\r\n")) << path;
        EXPECT_THAT(head, HasSubstr("Cross-Origin-Resource-Policy: same-origin\r\n")) << path;
    }
}

TEST_F(AdminServerTest, NobodyGetsAnythingWithoutTheToken) {
    start("secret");
    for (const char* const path : {"/", "/status.json", "/metrics", "/explain", "/nothing"}) {
        EXPECT_EQ(get(path).status, 401) << path;
    }
    for (const char* const path : {"/reload", "/connectors/north/stop"}) {
        EXPECT_EQ(post(path).status, 401) << path;
    }
    EXPECT_THAT(fake.asked, IsEmpty());
    const std::string bearer = "Host: x.example\r\nAuthorization: Bearer secret\r\n";
    EXPECT_EQ(ask("GET", "/status.json", bearer).status, 200);
    EXPECT_EQ(ask("POST", "/reload", bearer).status, 200);
}

TEST_F(AdminServerTest, ABrowserGetsInWithTheTokenOnceAndACookieThen) {
    start("secret");
    EXPECT_THAT(get("/").body, HasSubstr("<form class=\"card\" method=\"post\""));
    const Answer redirect =
        ask("POST", "/", "Host: localhost\r\nContent-Length: 12\r\n", "token=secret");
    EXPECT_EQ(redirect.status, 303);
    const std::size_t begin = redirect.head.find("Set-Cookie: ") + 12;
    const std::string cookie = redirect.head.substr(begin, redirect.head.find(';', begin) - begin);
    const Answer page = ask("GET", "/", "Host: localhost\r\nCookie: " + cookie + "\r\n");
    EXPECT_EQ(page.status, 200);
    EXPECT_THAT(page.body, Not(HasSubstr("secret")));
}

TEST_F(AdminServerTest, WrongTokensAreToldAndNothingElse) {
    start("secret");
    const auto shows = [&](const std::string& header) {
        return ask("GET", "/metrics", "Host: localhost\r\n" + header).status;
    };
    EXPECT_EQ(shows(""), 401);
    EXPECT_EQ(shows("Cookie: sms-router-00000000=old\r\n"), 401);
    EXPECT_EQ(shows("Authorization: Bearer secret\r\n"), 200);
    EXPECT_EQ(fake.refusedTokens, 0);
    EXPECT_EQ(shows("Authorization: Bearer guess\r\n"), 401);
    EXPECT_EQ(fake.refusedTokens, 1);
    EXPECT_EQ(ask("POST", "/", "Host: localhost\r\nContent-Length: 11\r\n", "token=guess").status,
              401);
    EXPECT_EQ(fake.refusedTokens, 2);
}

TEST_F(AdminServerTest, OnlyWhatShowsATokenIsDelayed) {
    start("secret");
    fake.delay = std::chrono::hours(1);
    support::TestClient guesses(server->address());
    guesses.send("GET /metrics HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer secret\r\n\r\n");
    EXPECT_EQ(get("/metrics").status, 401);
    EXPECT_EQ(get("/healthz").status, 200);
    dispatcher.turns(5);
    guesses.pump();
    EXPECT_THAT(guesses.received(), IsEmpty());
    EXPECT_THAT(fake.asked, Not(testing::Contains("snapshot")));
    fake.delay = std::chrono::milliseconds(1);
    EXPECT_EQ(ask("GET", "/metrics", "Host: h\r\nAuthorization: Bearer secret\r\n").status, 200);
}

TEST_F(AdminServerTest, PagesThatRebindTheirNameGetNothing) {
    start();
    EXPECT_EQ(ask("GET", "/status.json", "Host: evil.example\r\n").status, 403);
    EXPECT_EQ(ask("GET", "http://evil.example/status.json", "Host: localhost\r\n").status, 403);
    EXPECT_EQ(ask("POST", "/reload", "Host: evil.example\r\n").status, 403);
    EXPECT_EQ(ask("POST", "/reload", "Host: localhost\r\nOrigin: http://evil.example\r\n").status,
              403);
    EXPECT_THAT(fake.asked, IsEmpty());
    EXPECT_EQ(ask("POST", "/reload", "Host: localhost\r\nOrigin: http://localhost\r\n").status,
              200);
}

}  // namespace
