// Requests that two readers could cut in different places, over real sockets: in front of a proxy a
// second request could hide in each.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "common/http/HttpServer.h"
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
using testing::IsEmpty;
using testing::StartsWith;

class HttpSmugglingTest : public testing::Test {
  protected:
    static inline const std::string hidden = "GET /hidden HTTP/1.1\r\nHost: h\r\n\r\n";
    static inline const std::string chunked = "Transfer-Encoding: chunked\r\n";

    static std::string get(const std::string& headers) {
        return "GET /open HTTP/1.1\r\nHost: h\r\n" + headers + "\r\n";
    }
    static std::string post(const std::string& headers) {
        return "POST /open HTTP/1.1\r\nHost: h\r\n" + headers + "\r\n";
    }

    void SetUp() override {
        HttpRoutes routes;
        for (const char* const method : {"GET", "POST"}) {
            routes.add(method, "/{name}", [this](const HttpRequest& request, HttpResponder to) {
                served.push_back(request.pathParameter("name"));
                to.answer(HttpResponse::plain(200));
            });
        }
        server = std::make_unique<HttpServer>(
            HttpServer::open(nio::SocketAddress::loopback4(0), std::move(routes)).orThrow());
        ASSERT_TRUE(server->start(*dispatcher));
    }
    // All that comes back until the server ends the connection.
    std::string answersTo(const std::string& bytes) {
        TestClient client(server->address());
        client.send(bytes);
        EXPECT_TRUE(support::turnUntil(*dispatcher, [&] {
            client.pump();
            return client.hasEnded();
        }));
        return client.received();
    }

    std::vector<std::string> served;
    support::TestDispatcher dispatcher;
    std::unique_ptr<HttpServer> server;
};

TEST_F(HttpSmugglingTest, AnAmbiguousRequestEndsTheConnection) {
    for (const std::string& bytes : {
             // Two lengths
             post("Content-Length: 5\r\n" + chunked) + "0\r\n\r\n" + hidden,
             post(chunked + "Content-Length: 3\r\n") + "8\r\n" + hidden,
             post("Content-Length: 0\r\nContent-Length: 33\r\n") + hidden,
             post("Content-Length: 0\r\nContent-Length: 0\r\n") + hidden,
             post("Content-Length: 0, 33\r\n") + hidden,
             post("Content-Length: +0\r\n") + hidden,
             post("Content-Length: \r\n") + hidden,
             // A coding that not every reader recognises
             post("Transfer-Encoding: xchunked\r\n") + hidden,
             post("Transfer-Encoding : chunked\r\n") + "0\r\n\r\n" + hidden,
             post("Transfer-Encoding:\vchunked\r\n") + "0\r\n\r\n" + hidden,
             post("Transfer-Encoding: chunked, identity\r\n") + "0\r\n\r\n" + hidden,
             post("Transfer-Encoding:\r\n chunked\r\n") + "0\r\n\r\n" + hidden,
             post("X: y\nTransfer-Encoding: chunked\r\n") + "0\r\n\r\n" + hidden,
             post("X: y\rTransfer-Encoding: chunked\r\n") + "0\r\n\r\n" + hidden,
             post(chunked + chunked) + "0\r\n\r\n" + hidden,
             "POST /open HTTP/1.0\r\n" + chunked + "\r\n0\r\n\r\n" + hidden,
             // A chunk that ends elsewhere
             post(chunked) + "0x0\r\n\r\n" + hidden,
             post(chunked) + "-0\r\n\r\n" + hidden,
             post(chunked) + "10000000000000000\r\n\r\n" + hidden,
             post(chunked) + "0;a\n\r\n" + hidden,
             post(chunked) + "1;a\nb\r\nx\r\n0\r\n\r\n" + hidden,
             post(chunked) + "0\n\n" + hidden,
             post(chunked) + "1\r\nxy\r\n0\r\n\r\n" + hidden,
             post(chunked) + "0\r\nX: y\r\n z\r\n\r\n" + hidden,
             // A head that ends elsewhere
             "GET /open HTTP/1.1\nHost: h\n\n" + hidden,
             get("X: y\r\n\tz\r\n") + hidden,
             get(std::string("X: \0\r\n", 6)) + hidden,
             get("Host: other\r\n") + hidden,
             "GET http://other/open HTTP/1.1\r\nHost: h\r\n\r\n" + hidden,
             "GET /open\r\n" + hidden,
             post("Expect: y 100-continue\r\nContent-Length: 33\r\n") + hidden,
             "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + hidden,
         }) {
        const std::string answer = answersTo(bytes);
        EXPECT_THAT(answer, testing::AnyOf(StartsWith("HTTP/1.1 4"), StartsWith("HTTP/1.1 505")))
            << bytes;
        EXPECT_EQ(answer.find("HTTP/1.1", 1), answer.npos) << bytes;
        EXPECT_THAT(served, IsEmpty()) << bytes;
    }
}

TEST_F(HttpSmugglingTest, ABodyIsNeverServedAsARequest) {
    const std::string length = "Content-Length: " + std::to_string(hidden.size()) + "\r\n";
    for (const std::string& bytes :
         {get(length) + hidden, post(length) + hidden,
          post(chunked) + "21;a=b\r\n" + hidden + "\r\n0\r\nX: y\r\n\r\n"}) {
        served.clear();
        (void)answersTo(bytes + get("Connection: close\r\n"));
        EXPECT_THAT(served, ElementsAre("open", "open")) << bytes;
    }
}

}  // namespace
