// An HTTP server behind TLS.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/http/HttpServer.h"
#include "nio-tls/Certificates.h"
#include "nio-tls/TlsPair.h"
#include "support/TestClient.h"
#include "support/TestDispatcher.h"
#include "support/TurnUntil.h"

namespace {

using support::TestClient;
using testing::IsEmpty;

const std::string postNow = "POST /now HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\nnow";

// TLS on top of a TestClient.
struct SecureClient {
    SecureClient(const nio::SocketAddress& server, const std::string& authority)
        : context(nio::TlsContext::client({authority}).orThrow()),
          side{std::make_unique<nio::TlsSession>(*context, "door.example.org")},
          client(server) {
        side.begin();
    }

    void pump() {
        for (auto piece = side.say(1'000); !piece.empty(); piece = side.say(1'000)) {
            client.send(piece);
        }
        client.pump();
        side.take(std::string_view(client.received()).substr(taken));
        taken = client.received().size();
    }
    const std::string& plain() const { return side.plain.text; }

    std::shared_ptr<const nio::TlsContext> context;
    support::TlsSide side;
    TestClient client;
    std::size_t taken = 0;
};

class HttpTlsTest : public testing::Test {
  protected:
    void start(const apps::HttpLimits& limits = {}) {
        apps::HttpRoutes routes;
        routes.add("POST", "/now", [](const apps::HttpRequest& request, apps::HttpResponder to) {
            to.answer(apps::HttpResponse::text(200, request.body));
        });
        apps::HttpServerOptions options;
        options.limits = limits;
        options.tls = slot;
        server.emplace(
            apps::HttpServer::open(nio::SocketAddress::loopback4(0), std::move(routes), options)
                .orThrow());
        ASSERT_TRUE(server->start(*dispatcher));
    }
    static std::shared_ptr<const nio::TlsContext> contextOf(support::Authority& authority) {
        return nio::TlsContext::server(authority.issue("door", {"DNS:door.example.org"})).orThrow();
    }
    bool until(SecureClient& client, const std::function<bool()>& done) {
        return support::turnUntil(*dispatcher, [&] {
            client.pump();
            return done();
        });
    }
    // Asks `count` times on a connection and is answered as often.
    void expectAnswers(SecureClient& client, int count) {
        ASSERT_TRUE(until(client, [&] { return client.side.isUp(); })) << client.side.trouble();
        for (int i = 0; i < count; ++i) client.side.send(postNow);
        const auto answers = [&] {
            int found = 0;
            for (std::size_t at = 0;
                 (at = client.plain().find("\r\n\r\nnow", at)) != std::string::npos; ++at) {
                ++found;
            }
            return found;
        };
        EXPECT_TRUE(until(client, [&] { return answers() == count; })) << client.plain();
    }

    support::Authority first{"first"};
    support::Authority second{"second"};
    std::shared_ptr<nio::TlsSlot> slot = std::make_shared<nio::TlsSlot>(contextOf(first));
    support::TestDispatcher dispatcher;
    std::optional<apps::HttpServer> server;
};

TEST_F(HttpTlsTest, AnswersPipelinedRequests) {
    start();
    SecureClient client(server->address(), first.file());
    expectAnswers(client, 20);
}

TEST_F(HttpTlsTest, ANewCertificateIsForNewConnections) {
    start();
    SecureClient old(server->address(), first.file());
    expectAnswers(old, 1);
    slot->set(contextOf(second));
    SecureClient fresh(server->address(), second.file());
    expectAnswers(fresh, 1);
    old.side.plain.text.clear();
    expectAnswers(old, 2);
}

TEST_F(HttpTlsTest, SaysThatItCloses) {
    start();
    SecureClient client(server->address(), first.file());
    ASSERT_TRUE(until(client, [&] { return client.side.isUp(); }));
    client.side.send("nonsense\r\n\r\n");
    EXPECT_TRUE(until(client, [&] { return client.client.hasEnded(); }));
    EXPECT_THAT(client.plain(), testing::StartsWith("HTTP/1.1 400 Bad Request\r\n"));
    EXPECT_TRUE(client.side.session->hasPeerFinished());
}

TEST_F(HttpTlsTest, PlainHttpIsNotAnswered) {
    start();
    TestClient client(server->address());
    client.send(postNow);
    EXPECT_TRUE(support::turnUntil(*dispatcher, [&] {
        client.pump();
        return client.hasEnded();
    }));
    EXPECT_EQ(client.received().find("HTTP"), std::string::npos);
}

TEST_F(HttpTlsTest, AHandshakeThatStopsIsTimedOut) {
    apps::HttpLimits limits;
    limits.firstTimeout = std::chrono::milliseconds(1);
    start(limits);
    TestClient client(server->address());
    EXPECT_TRUE(support::turnUntil(*dispatcher, [&] {
        client.pump();
        return client.hasEnded();
    }));
    EXPECT_THAT(client.received(), IsEmpty());
}

}  // namespace
