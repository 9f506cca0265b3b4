// Server, connections and responders, over real sockets.
#include "common/http/HttpServer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <regex>

#include "support/TestClient.h"
#include "support/TestDispatcher.h"
#include "support/TurnUntil.h"

namespace {

using apps::HttpRequest;
using apps::HttpResponder;
using apps::HttpResponse;
using apps::HttpRoutes;
using apps::HttpServer;
using support::TestClient;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

std::string request(const std::string& path, const std::string& method = "GET",
                    const std::string& headers = "", const std::string& body = "") {
    return method + " " + path + " HTTP/1.1\r\nHost: h\r\n" + headers + "\r\n" + body;
}

std::string wire(const std::string& body) {
    return "HTTP/1.1 200 OK\r\nDate: then\r\nContent-Type: text/plain; charset=utf-8\r\n"
           "X-All: yes\r\nContent-Length: " +
           std::to_string(body.size()) + "\r\nConnection: keep-alive\r\n\r\n" + body;
}

// With the same Date in each answer.
std::string undated(const std::string& answers) {
    static const std::regex date("Date: [A-Z][a-z]{2}, [^\r]{20} GMT");
    return std::regex_replace(answers, date, "Date: then");
}

class HttpServerTest : public testing::Test {
  protected:
    // "/now" answers its query, "/later/N" when the test says, "/never" drops its responder.
    void start(const apps::HttpServerOptions& options = {}) {
        HttpRoutes routes;
        routes.addHeader("X-All", "yes");
        routes.add("GET", "/now", [](const HttpRequest& r, HttpResponder to) {
            to.answer(HttpResponse::text(200, r.query));
        });
        routes.add("POST", "/now", [](const HttpRequest& r, HttpResponder to) {
            to.answer(HttpResponse::text(200, r.body));
        });
        routes.add("GET", "/later/{n}", [this](const HttpRequest& r, HttpResponder to) {
            waiting.emplace(r.pathParameter("n"), std::move(to));
        });
        routes.add("GET", "/never", [](const HttpRequest&, HttpResponder) {});
        server = std::make_unique<HttpServer>(
            HttpServer::open(nio::SocketAddress::loopback4(0), std::move(routes), options)
                .orThrow());
        ASSERT_TRUE(server->start(*dispatcher));
    }
    TestClient connect() { return TestClient(server->address()); }

    bool until(const std::function<bool()>& done, std::initializer_list<TestClient*> clients) {
        return support::turnUntil(*dispatcher, [&] {
            for (TestClient* client : clients) client->pump();
            return done();
        });
    }
    // The bytes of the answer, to the end of the connection.
    std::string all(const std::string& bytes) {
        TestClient client = connect();
        client.send(bytes);
        EXPECT_TRUE(until([&] { return client.hasEnded(); }, {&client}));
        EXPECT_EQ(client.end(), TestClient::End::finished);
        client.close();
        return undated(client.received());
    }
    static bool has(const TestClient& client, const std::string& all) {
        return undated(client.received()) == all;
    }
    std::string statusLine(const std::string& bytes) {
        const std::string answer = all(bytes);
        return answer.substr(0, answer.find("\r\n"));
    }
    void answerLater(const std::string& which, const std::string& body) {
        waiting.at(which).answer(HttpResponse::text(200, body));
        waiting.erase(which);
    }

    std::map<std::string, HttpResponder> waiting;
    support::TestDispatcher dispatcher;
    std::unique_ptr<HttpServer> server;
};

TEST_F(HttpServerTest, AnswersAndKeepsTheConnection) {
    start();
    TestClient client = connect();
    std::string expected;
    for (const char* const body : {"one", "two", "three"}) {
        client.send(request(std::string("/now?") + body));
        expected += wire(body);
        EXPECT_TRUE(until([&] { return has(client, expected); }, {&client}));
    }
    EXPECT_FALSE(client.hasEnded());
}

TEST_F(HttpServerTest, AnswersRequestsThatComeByteByByte) {
    start();
    TestClient client = connect();
    const std::string both =
        request("/now?a") + request("/now", "POST", "Content-Length: 2\r\n", "bb");
    for (const char c : both) {
        client.send(std::string_view(&c, 1));
        client.pump();
        dispatcher.turns(2);
    }
    const std::string expected = wire("a") + wire("bb");
    EXPECT_TRUE(until([&] { return has(client, expected); }, {&client}));
}

TEST_F(HttpServerTest, AnswersPipelinedRequestsInTheirOrder) {
    start();
    TestClient client = connect();
    client.send(request("/later/a") + request("/now?b") + request("/later/c") + request("/now?d"));
    ASSERT_TRUE(until([&] { return waiting.contains("a"); }, {&client}));
    dispatcher.turns(5);
    client.pump();
    EXPECT_THAT(client.received(), IsEmpty());
    EXPECT_FALSE(waiting.contains("c")) << "one at a time";
    answerLater("a", "A");
    ASSERT_TRUE(until([&] { return waiting.contains("c"); }, {&client}));
    answerLater("c", "C");
    const std::string expected = wire("A") + wire("b") + wire("C") + wire("d");
    EXPECT_TRUE(until([&] { return has(client, expected); }, {&client}));
}

TEST_F(HttpServerTest, AnswersWhatWasAskedBeforeTheClientFinished) {
    start();
    TestClient client = connect();
    client.send(request("/later/a") + request("/now?b"));
    client.finish();
    ASSERT_TRUE(until([&] { return waiting.contains("a"); }, {&client}));
    answerLater("a", "A");
    ASSERT_TRUE(until([&] { return client.hasEnded(); }, {&client}));
    EXPECT_EQ(undated(client.received()), wire("A") + wire("b"));
    EXPECT_EQ(client.end(), TestClient::End::finished);
}

TEST_F(HttpServerTest, AnAnswerForAClientThatHasGoneIsDropped) {
    start();
    TestClient client = connect();
    client.send(request("/later/a"));
    ASSERT_TRUE(until([&] { return waiting.contains("a"); }, {&client}));
    client.reset();
    answerLater("a", std::string(1'000'000, 'a'));
    ASSERT_TRUE(until([&] { return dispatcher->connectionCount() == 0; }, {}));
    EXPECT_THAT(dispatcher.failures, IsEmpty());
}

TEST_F(HttpServerTest, AResponderMayOutliveTheDispatcher) {
    std::map<std::string, HttpResponder> kept;
    {
        support::TestDispatcher shortLived;
        HttpRoutes routes;
        routes.add("GET", "/", [&](const HttpRequest&, HttpResponder to) {
            kept.emplace("it", std::move(to));
        });
        auto open = HttpServer::open(nio::SocketAddress::loopback4(0), std::move(routes));
        HttpServer other = std::move(open).orThrow();
        ASSERT_TRUE(other.start(*shortLived));
        TestClient client(other.address());
        client.send(request("/"));
        ASSERT_TRUE(shortLived.turnUntil([&] {
            client.pump();
            return kept.contains("it");
        }));
    }
    kept.at("it").answer({200});
    kept.clear();
}

TEST_F(HttpServerTest, AResponderThatIsDroppedSays500) {
    start();
    EXPECT_EQ(statusLine(request("/never", "GET", "Connection: close\r\n")),
              "HTTP/1.1 500 Internal Server Error");
}

TEST_F(HttpServerTest, HeadGetsTheHeadersOfGetAndNoBody) {
    start();
    TestClient client = connect();
    client.send(request("/now?abc", "HEAD") + request("/now?next"));
    const std::string head = wire("abc").substr(0, wire("abc").size() - 3);
    EXPECT_TRUE(until([&] { return has(client, head + wire("next")); }, {&client}));
}

TEST_F(HttpServerTest, AnswersABadRequestBehindTheGoodOnesAndCloses) {
    start();
    const std::string answer = all(request("/now?good") + "nonsense\r\n\r\n" + request("/now?x"));
    EXPECT_THAT(answer, StartsWith(wire("good") + "HTTP/1.1 400 Bad Request\r\n"));
    EXPECT_THAT(answer, HasSubstr("X-All: yes\r\n"));
    EXPECT_THAT(answer, HasSubstr("Connection: close\r\n"));
    EXPECT_THAT(answer, Not(HasSubstr("200 OK\r\nx")));
}

TEST_F(HttpServerTest, WhatIsTooLargeIsRefusedAndTheAnswerArrives) {
    start();
    EXPECT_EQ(statusLine("GET /" + std::string(100'000, 'u')), "HTTP/1.1 414 URI Too Long");
    EXPECT_EQ(statusLine(request("/now", "GET", "X: " + std::string(100'000, 'h') + "\r\n")),
              "HTTP/1.1 431 Request Header Fields Too Large");
    EXPECT_EQ(statusLine(request("/now", "POST", "Content-Length: 1000000\r\n",
                                 std::string(1'000'000, 'b'))),
              "HTTP/1.1 413 Payload Too Large");
    const std::string waits = "Expect: 100-continue\r\nContent-Length: 1000000\r\n";
    EXPECT_EQ(statusLine(request("/now", "POST", waits)), "HTTP/1.1 413 Payload Too Large");
}

TEST_F(HttpServerTest, TellsAClientThatWaitsToSendItsBody) {
    start();
    TestClient client = connect();
    const std::string headers = "Expect: 100-continue\r\nContent-Length: 2\r\n";
    client.send(request("/now", "POST", headers));
    const std::string goOn = "HTTP/1.1 100 Continue\r\n\r\n";
    ASSERT_TRUE(until([&] { return has(client, goOn); }, {&client}));
    client.send("ok");
    EXPECT_TRUE(until([&] { return has(client, goOn + wire("ok")); }, {&client}));
}

TEST_F(HttpServerTest, ARequestThatTakesTooLongIs408) {
    apps::HttpServerOptions options;
    options.limits.requestTimeout = std::chrono::milliseconds(1);
    start(options);
    EXPECT_EQ(statusLine("GET /now HTTP/1.1\r\nHo"), "HTTP/1.1 408 Request Timeout");
    EXPECT_THAT(all(request("/now?x") + "GET "),
                StartsWith(wire("x") + "HTTP/1.1 408 Request Timeout"));
}

TEST_F(HttpServerTest, AnIdleConnectionIsClosedWithoutAWord) {
    apps::HttpServerOptions options;
    options.limits.idleTimeout = std::chrono::milliseconds(1);
    start(options);
    EXPECT_EQ(all(request("/now?x")), wire("x"));
}

TEST_F(HttpServerTest, WhoComesAndAsksNothingIsClosedSooner) {
    apps::HttpServerOptions options;
    options.limits.firstTimeout = std::chrono::milliseconds(1);
    options.limits.idleTimeout = std::chrono::hours(1);
    start(options);
    EXPECT_EQ(all(""), "");
    EXPECT_EQ(all("\r\n"), "");
}

TEST_F(HttpServerTest, AnAnswerMayTakeLongerThanClientsMay) {
    apps::HttpServerOptions options;
    options.limits.idleTimeout = std::chrono::milliseconds(1);
    options.limits.requestTimeout = std::chrono::milliseconds(1);
    start(options);
    TestClient client = connect();
    TestClient idle = connect();
    client.send(request("/later/a"));
    idle.send("GET /");
    // The second client has been timed out meanwhile.
    ASSERT_TRUE(until([&] { return idle.hasEnded() && waiting.contains("a"); }, {&client, &idle}));
    EXPECT_FALSE(client.hasEnded());
    answerLater("a", "A");
    ASSERT_TRUE(until([&] { return client.hasEnded(); }, {&client}));
    EXPECT_EQ(undated(client.received()), wire("A"));
}

TEST_F(HttpServerTest, ConnectionsOverTheMaximumWait) {
    apps::HttpServerOptions options;
    options.maxConnections = 1;
    start(options);
    TestClient first = connect();
    first.send(request("/now?1"));
    ASSERT_TRUE(until([&] { return has(first, wire("1")); }, {&first}));
    TestClient second = connect();
    second.send(request("/now?2"));
    dispatcher.turns(5);
    second.pump();
    dispatcher.turns(5);
    second.pump();
    EXPECT_THAT(second.received(), IsEmpty());
    first.close();
    EXPECT_TRUE(until([&] { return has(second, wire("2")); }, {&second}));
}

TEST_F(HttpServerTest, EvictsTheLongestIdleConnectionWhenFull) {
    apps::HttpServerOptions options;
    options.maxConnections = 3;
    start(options);
    TestClient served = connect();
    TestClient slow = connect();
    slow.send("GET /n");
    ASSERT_TRUE(until([&] { return dispatcher->connectionCount() == 2; }, {&served, &slow}));
    served.send(request("/now?1"));
    ASSERT_TRUE(until([&] { return has(served, wire("1")); }, {&served, &slow}));
    TestClient newcomer = connect();
    ASSERT_TRUE(until([&] { return slow.hasEnded(); }, {&served, &slow, &newcomer}));
    newcomer.send(request("/now?2"));
    ASSERT_TRUE(until([&] { return has(newcomer, wire("2")); }, {&served, &newcomer}));
    EXPECT_FALSE(served.hasEnded());
}

TEST_F(HttpServerTest, AConnectionBeingServedCanBeEvictedLater) {
    apps::HttpServerOptions options;
    options.maxConnections = 2;
    start(options);
    TestClient first = connect();
    first.send(request("/later/a"));
    ASSERT_TRUE(until([&] { return waiting.contains("a"); }, {&first}));
    TestClient last = connect();
    last.send(request("/later/b"));
    ASSERT_TRUE(until([&] { return waiting.contains("b"); }, {&first, &last}));
    answerLater("b", "B");
    answerLater("a", "A");
    EXPECT_TRUE(until([&] { return last.hasEnded(); }, {&first, &last}));
    EXPECT_EQ(undated(last.received()), wire("B"));
    EXPECT_TRUE(until([&] { return has(first, wire("A")); }, {&first}));
    TestClient newcomer = connect();
    newcomer.send(request("/now?2"));
    EXPECT_TRUE(until([&] { return has(newcomer, wire("2")); }, {&newcomer}));
}

TEST_F(HttpServerTest, WhoWaitsForAnAnswerKeepsItsPlace) {
    apps::HttpServerOptions options;
    options.maxConnections = 2;
    start(options);
    TestClient waits = connect();
    waits.send(request("/later/a"));
    ASSERT_TRUE(until([&] { return waiting.contains("a"); }, {&waits}));
    for (const char* const body : {"1", "2"}) {
        TestClient other = connect();
        other.send(request(std::string("/now?") + body));
        ASSERT_TRUE(until([&] { return has(other, wire(body)); }, {&waits, &other}));
        other.close();
    }
    answerLater("a", "A");
    EXPECT_TRUE(until([&] { return has(waits, wire("A")); }, {&waits}));
}

TEST_F(HttpServerTest, AnOversizedAnswerClosesTheConnection) {
    apps::HttpServerOptions options;
    options.limits.outputBytes = 1000;
    start(options);
    TestClient client = connect();
    client.send(request("/later/a"));
    ASSERT_TRUE(until([&] { return waiting.contains("a"); }, {&client}));
    answerLater("a", std::string(64 * 1024, 'L'));
    EXPECT_TRUE(until([&] { return client.hasEnded(); }, {&client}));
    EXPECT_EQ(dispatcher->deadlines().size(), 0U);
}

TEST_F(HttpServerTest, AClientThatDoesNotTakeItsAnswersIsNotServedMore) {
    start();
    TestClient client = connect();
    client.stopReading();
    for (int i = 0; i < 3; ++i) client.send(request("/later/" + std::to_string(i)));
    const std::string large(16 * 1024 * 1024, 'L');
    ASSERT_TRUE(until([&] { return waiting.contains("0"); }, {&client}));
    answerLater("0", large);
    for (int i = 0; i < 20; ++i) dispatcher.turn();
    EXPECT_FALSE(waiting.contains("1"));
    client.goOnReading();
    ASSERT_TRUE(until([&] { return waiting.contains("1"); }, {&client}));
    EXPECT_GT(client.received().size(), large.size() / 2);
}

TEST_F(HttpServerTest, DrainAnswersWhatWasAskedAndCloses) {
    start();
    TestClient client = connect();
    client.send(request("/later/a"));
    ASSERT_TRUE(until([&] { return waiting.contains("a"); }, {&client}));
    dispatcher->requestClose();
    dispatcher.turns(3);
    EXPECT_FALSE(dispatcher->isStopped());
    answerLater("a", "A");
    ASSERT_TRUE(until([&] { return client.hasEnded(); }, {&client}));
    EXPECT_THAT(client.received(), HasSubstr("Connection: close\r\n\r\nA"));
    client.close();
    EXPECT_TRUE(until([&] { return dispatcher->isStopped(); }, {}));
    EXPECT_EQ(dispatcher->draining().report().aborted, 0U);
}

TEST_F(HttpServerTest, AnAddressInUseIsAnError) {
    start();
    EXPECT_FALSE(HttpServer::open(server->address(), {}));
}

}  // namespace
