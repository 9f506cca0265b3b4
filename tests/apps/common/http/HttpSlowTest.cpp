// Clients that send an octet now and then.
#include <gtest/gtest.h>

#include "common/http/HttpServer.h"
#include "support/TestClient.h"
#include "support/TestDispatcher.h"
#include "support/TurnUntil.h"

namespace {

using support::TestClient;

// What such a client is answered. Each octet comes as soon as the one before has been read, so none
// that put the deadline off would ever let it pass.
std::string answerTo(const std::string& begin, char octet) {
    support::TestDispatcher dispatcher;
    apps::HttpServerOptions options;
    options.limits.requestTimeout = std::chrono::milliseconds(20);
    options.limits.headerBytes = options.limits.bodyBytes = 100'000'000;
    apps::HttpServer server =
        apps::HttpServer::open(nio::SocketAddress::loopback4(0), {}, options).orThrow();
    EXPECT_TRUE(server.start(*dispatcher));
    TestClient client(server.address());
    client.send(begin);
    EXPECT_TRUE(support::turnUntil(*dispatcher, [&] {
        client.send(std::string_view(&octet, 1));
        client.pump();
        return client.hasEnded();
    }));
    return client.received().substr(0, client.received().find("\r\n"));
}

TEST(HttpSlow, AHeadMustBeCompleteInTime) {
    EXPECT_EQ(answerTo("GET / HTTP/1.1\r\nX: ", 'x'), "HTTP/1.1 408 Request Timeout");
}

TEST(HttpSlow, ABodyMustBeCompleteInTime) {
    const std::string post = "POST / HTTP/1.1\r\nHost: h\r\n";
    const std::string timeout = "HTTP/1.1 408 Request Timeout";
    EXPECT_EQ(answerTo(post + "Content-Length: 90000000\r\n\r\n", 'x'), timeout);
    EXPECT_EQ(answerTo(post + "Transfer-Encoding: chunked\r\n\r\n5000000\r\n", 'x'), timeout);
}

}  // namespace
