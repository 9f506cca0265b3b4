// Over real sockets; the dispatcher's turns and the server are the test's.
#include "common/http/HttpClient.h"

#include <gmock/gmock.h>

#include "apps/common/http/HttpClientTesting.h"

namespace {

using namespace std::chrono_literals;
using apps::HttpCall;
using httptest::ScriptedServer;
using testing::HasSubstr;
using testing::StartsWith;

class HttpClientAnswerTest : public httptest::HttpClientTest {
  protected:
    // The answer to a request that the server has read.
    Answer afterAsked(const std::function<void()>& then, const std::string& path = "/") {
        const auto id = call(server.url(path));
        EXPECT_TRUE(until([&] { return server.isAsked(); }));
        then();
        return answerTo(id);
    }

    ScriptedServer server;
};

TEST_F(HttpClientAnswerTest, HasAStatusAndABody) {
    start();
    const Answer found = afterAsked(
        [&] { server.send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"); }, "/a?b=c");
    EXPECT_EQ(found.value().status, 200);
    EXPECT_EQ(found.value().body, "hello");
    EXPECT_FALSE(found.value().isCut);
    EXPECT_THAT(server.request(), StartsWith("GET /a?b=c HTTP/1.1\r\nHost: 127.0.0.1:"));
    EXPECT_THAT(server.request(), testing::Not(HasSubstr("Expect")));
}

TEST_F(HttpClientAnswerTest, OfAnyStatusIsAnAnswer) {
    start();
    for (const int status : {201, 304, 404, 503}) {
        const Answer answer = afterAsked([&] {
            server.send("HTTP/1.1 " + std::to_string(status) + " X\r\nContent-Length: 0\r\n\r\n");
            server.close();
        });
        EXPECT_EQ(answer.value().status, status);
    }
}

TEST_F(HttpClientAnswerTest, MayComeOctetByOctet) {
    start();
    const std::string text =
        "HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
        "2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n";
    const Answer answer = afterAsked([&] {
        for (const char c : text) {
            server.send({&c, 1});
            dispatcher.turns(2);
        }
    });
    EXPECT_EQ(answer.value().status, 200);
    EXPECT_EQ(answer.value().body, "hello");
}

TEST_F(HttpClientAnswerTest, IsCutAtTheLimit) {
    start({.maxBodyBytes = 4});
    const auto answer = [this](const std::string& body) {
        const Answer got = afterAsked([&] {
            server.send("HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(body.size()) +
                        "\r\n\r\n" + body);
        });
        server.close();
        return got.value();
    };
    EXPECT_EQ(answer("1234").body, "1234");
    const apps::HttpAnswer cut = answer("12345");
    EXPECT_EQ(cut.status, 200);
    EXPECT_EQ(cut.body, "1234");
    EXPECT_TRUE(cut.isCut);
}

TEST_F(HttpClientAnswerTest, OfARedirectIsNotFollowed) {
    start();
    const Answer answer = afterAsked([&] {
        server.send("HTTP/1.1 302 Found\r\nLocation: " + server.url("/b") +
                    "\r\nContent-Length: 0\r\n\r\n");
    });
    EXPECT_EQ(answer.value().status, 302);
    dispatcher.turns(5);
    EXPECT_FALSE(server.hasConnection());
    EXPECT_FALSE(server.isLeft());
    EXPECT_THAT(server.request(), StartsWith("GET / "));
}

TEST_F(HttpClientAnswerTest, ThatBreaksOffIsAnError) {
    start();
    const Answer reset = afterAsked([&] {
        server.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n12345");
        dispatcher.turns(5);
        server.reset();
    });
    EXPECT_THAT(reasonOf(reset), HasSubstr("Connection reset by peer"));
    EXPECT_EQ(reset.error().code(), std::errc::io_error);
    const Answer half = afterAsked([&] {
        server.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n12345");
        server.close();
    });
    EXPECT_THAT(reasonOf(half), HasSubstr("5 bytes remaining"));
    const Answer none = afterAsked([&] { server.close(); });
    EXPECT_EQ(reasonOf(none), "Empty reply from server");
    const Answer other = afterAsked([&] { server.send("nonsense\r\n"); });
    EXPECT_THAT(reasonOf(other), HasSubstr("HTTP/0.9"));
}

TEST_F(HttpClientAnswerTest, ThatDoesNotComeIsAnError) {
    start();
    HttpCall slow{.url = server.url(), .timeLimit = 20ms};
    const Answer none = get(slow);
    EXPECT_EQ(reasonOf(none), "no answer in 20 ms");
    EXPECT_TRUE(none.error().is(nio::Errc::timedOut));
    // On a busy machine it does not come so far.
    EXPECT_TRUE(until([&] { return !server.hasConnection() || server.isLeft(); }));
}

TEST_F(HttpClientAnswerTest, ComesOnTheSameConnectionAgain) {
    start();
    for (int i = 0; i < 3; ++i) {
        const auto id = call(server.url());
        std::size_t before = server.request().size();
        ASSERT_TRUE(until([&] { return server.isAsked() && server.request().size() > before; }));
        server.send("HTTP/1.1 204 No Content\r\n\r\n");
        EXPECT_EQ(answerTo(id).value().status, 204);
    }
    EXPECT_FALSE(server.hasConnection());
}

TEST_F(HttpClientAnswerTest, ComesOnAnotherWhereThatIsClosed) {
    start();
    for (int i = 0; i < 3; ++i) {
        const Answer answer =
            afterAsked([&] { server.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"); });
        EXPECT_EQ(answer.value().status, 200);
        server.close();
    }
}

TEST_F(HttpClientAnswerTest, NeedsNoProxyOfTheEnvironment) {
    const support::DeadPort proxy;
    ASSERT_EQ(::setenv("http_proxy", ("http://" + proxy.address.toString()).c_str(), 1), 0);
    start();
    const Answer answer =
        afterAsked([&] { server.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"); });
    EXPECT_EQ(::unsetenv("http_proxy"), 0);
    EXPECT_EQ(answer.value().status, 200);
}

TEST_F(HttpClientAnswerTest, IsNotWaitedForOnceCancelled) {
    start();
    call(server.url());
    ASSERT_TRUE(until([&] { return server.isAsked(); }));
    dispatcher.inTurn([&] {
        nio::onDispatcher.assertCurrent();
        client->cancelNow(lastId);
        client->cancelNow(lastId);
    });
    EXPECT_TRUE(until([&] { return server.isLeft(); }));
    EXPECT_TRUE(answers.empty());
}

TEST_F(HttpClientAnswerTest, ThatIsThereCanBeCancelled) {
    start();
    const auto first = call("nonsense");
    dispatcher.inTurn([&] {
        nio::onDispatcher.assertCurrent();
        const auto second = client->callNow({}, [](const Answer&) { FAIL() << "cancelled"; });
        client->cancelNow(second);
    });
    EXPECT_EQ(reasonOf(answerTo(first)), "Bad scheme");
    dispatcher.turns(5);
}

// Calls that are being looked up, connected and answered.
TEST_F(HttpClientAnswerTest, IsDroppedWithTheClient) {
    start();
    call(server.url());
    ASSERT_TRUE(until([&] { return server.isAsked(); }));
    const support::FullListener full;
    call("http://" + full.address.toString());
    dispatcher.turns(5);
    call("http://localhost:1/");
    dispatcher.inTurn([&] { client.reset(); });
    EXPECT_TRUE(until([&] { return server.isLeft(); }));
    dispatcher.turns(5);
    EXPECT_TRUE(answers.empty());
    EXPECT_TRUE(dispatcher.failures.empty());
}

TEST_F(HttpClientAnswerTest, IsDroppedWhenTheDispatcherStops) {
    start();
    call(server.url());
    ASSERT_TRUE(until([&] { return server.isAsked(); }));
    call("http://localhost:1/");
    dispatcher->requestClose(nio::DrainOptions::atOnce());
    while (dispatcher.turn()) {
    }
    server.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
    client.reset();
    EXPECT_TRUE(server.isLeft());
    EXPECT_TRUE(answers.empty());
}

TEST_F(HttpClientAnswerTest, MayDestroyTheClient) {
    start();
    bool isDone = false;
    dispatcher.inTurn([&] {
        nio::onDispatcher.assertCurrent();
        (void)client->callNow({.url = server.url()}, [&](const Answer& answer) {
            EXPECT_EQ(answer.value().status, 204);
            client.reset();
            isDone = true;
        });
    });
    const support::BareListener silent;
    call("http://" + silent.address.toString());
    ASSERT_TRUE(until([&] { return server.isAsked(); }));
    server.send("HTTP/1.1 204 No Content\r\n\r\n");
    EXPECT_TRUE(until([&] { return isDone; }));
    dispatcher.turns(5);
    EXPECT_TRUE(answers.empty());
}

TEST_F(HttpClientAnswerTest, ThatThrowsStopsNoOther) {
    start();
    dispatcher.inTurn([&] {
        nio::onDispatcher.assertCurrent();
        (void)client->callNow({}, [](const Answer&) { throw std::runtime_error("mine"); });
    });
    const Answer answer =
        afterAsked([&] { server.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"); });
    EXPECT_EQ(answer.value().status, 200);
    ASSERT_EQ(dispatcher.failures.size(), 1u);
    EXPECT_THAT(dispatcher.failures[0], HasSubstr("mine"));
}

}  // namespace
