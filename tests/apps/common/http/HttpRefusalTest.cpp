// What HTTP itself refuses is answered as the routes say (HttpRoutes::refuseWith).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/http/HttpServer.h"
#include "support/TestClient.h"
#include "support/TestDispatcher.h"
#include "support/TurnUntil.h"

namespace {

using apps::HttpRequest;
using apps::HttpResponder;
using apps::HttpResponse;
using support::TestClient;
using testing::HasSubstr;

class HttpRefusalTest : public testing::Test {
  protected:
    void SetUp() override {
        for (const char* const method : {"GET", "POST"}) {
            routes.add(method, "/", [](const HttpRequest&, HttpResponder to) { to.answer({}); });
        }
        routes.add("GET", "/never", [](const HttpRequest&, HttpResponder) {});
        routes.add("GET", "/own", [](const HttpRequest&, HttpResponder to) {
            to.answer(HttpResponse::text(404, "its own"));
        });
        routes.delayBy([](const HttpRequest& request) {
            return request.path == "/delay" ? std::optional<std::chrono::milliseconds>()
                                            : std::chrono::milliseconds(0);
        });
    }
    // All that comes back until the server ends the connection.
    std::string answerTo(const std::string& bytes) {
        apps::HttpServerOptions options;
        options.limits.requestTimeout = std::chrono::milliseconds(1);
        auto server = apps::HttpServer::open(nio::SocketAddress::loopback4(0), routes, options);
        EXPECT_TRUE(server.value().start(*dispatcher));
        TestClient client(server.value().address());
        client.send(bytes);
        EXPECT_TRUE(support::turnUntil(*dispatcher, [&] {
            client.pump();
            return client.hasEnded();
        }));
        server.value().close();
        return client.received();
    }
    static std::string request(const std::string& line, const std::string& headers = {}) {
        return line + " HTTP/1.1\r\nHost: h\r\nConnection: close\r\n" + headers + "\r\n";
    }

    apps::HttpRoutes routes;
    support::TestDispatcher dispatcher;
};

TEST_F(HttpRefusalTest, IsWrittenByTheRoutes) {
    routes.refuseWith([](int status) {
        return HttpResponse::json(status, "[" + std::to_string(status) + "]")
            .with("Retry-After", "1");
    });
    const std::string many(100'000, 'a');
    const std::pair<int, std::string> rows[]{
        {400, "nonsense\r\n"},
        {404, request("GET /nothing")},
        {405, request("DELETE /")},
        {408, "GET /"},
        {413, request("GET /", "Content-Length: 1000000\r\n")},
        {414, request("GET /" + many)},
        {417, request("GET /", "Expect: x\r\n")},
        {429, request("GET /delay")},
        {431, request("GET /", "X: " + many + "\r\n")},
        {500, request("GET /never")},
        {501, request("BREW /")},
        {505, "GET / HTTP/2.0\r\n"},
    };
    for (const auto& [status, bytes] : rows) {
        const std::string number = std::to_string(status);
        const std::string answer = answerTo(bytes);
        EXPECT_THAT(answer, testing::StartsWith("HTTP/1.1 " + number + " "));
        EXPECT_THAT(answer, HasSubstr("\r\nContent-Type: application/json\r\n"));
        EXPECT_THAT(answer, HasSubstr("\r\nRetry-After: 1\r\n"));
        EXPECT_THAT(answer, testing::EndsWith("\r\n\r\n[" + number + "]"));
    }
    EXPECT_THAT(answerTo(request("DELETE /")), HasSubstr("\r\nAllow: GET, HEAD, POST\r\n"));
    EXPECT_THAT(answerTo(request("GET /own")), testing::EndsWith("\r\n\r\nits own"));
}

TEST_F(HttpRefusalTest, IsPlainTextOtherwise) {
    const std::string answer = answerTo(request("GET /nothing"));
    EXPECT_THAT(answer, HasSubstr("\r\nContent-Type: text/plain; charset=utf-8\r\n"));
    EXPECT_THAT(answer, testing::EndsWith("\r\n\r\nNot Found\n"));
    EXPECT_THAT(answerTo(request("HEAD /nothing")), testing::EndsWith("\r\n\r\n"));
}

}  // namespace
