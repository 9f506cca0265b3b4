// What RFC 9110 to 9113 and 3986 say about odd requests, over real sockets. Where two readers could
// cut the stream in different places, a second request could hide behind the first.
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

struct ClauseRow {
    const char* clause;
    std::string bytes;
    // The statuses of all answers. Each row is followed by a request for /last, which is answered
    // unless the connection has ended.
    std::string answers;
};

const std::string ok = "200 200";
const std::string hidden = "GET /hidden HTTP/1.1\r\nHost: h\r\n\r\n";
const std::string last = "GET /last HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n";
const std::string inChunks = "Transfer-Encoding: chunked\r\n";
const std::string noChunks = "0\r\n\r\n";

std::string ofSize(std::size_t bytes) {
    return "Content-Length: " + std::to_string(bytes) + "\r\n";
}
std::string line(const std::string& text) {
    return text + "\r\nHost: h\r\n\r\n";
}
std::string getOpen(const std::string& headers) {
    return "GET /open HTTP/1.1\r\nHost: h\r\n" + headers + "\r\n";
}
std::string postOpen(const std::string& headers) {
    return "POST /open HTTP/1.1\r\nHost: h\r\n" + headers + "\r\n";
}
std::string bodyOf(const std::string& chunks) {
    return postOpen(inChunks) + chunks;
}

class HttpClausesTest : public testing::Test {
  protected:
    void SetUp() override {
        HttpRoutes routes;
        for (const char* const method : {"GET", "POST"}) {
            routes.add(method, "/{name}", [this](const HttpRequest& request, HttpResponder to) {
                served.push_back(request.pathParameter("name"));
                to.answer(HttpResponse::text(200, request.host));
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
    // "200 404"
    static std::string statusesOf(const std::string& answers) {
        const std::string version = "HTTP/1.1 ";
        std::string statuses;
        for (std::size_t at = answers.find(version); at != answers.npos;
             at = answers.find(version, at + 1)) {
            if (!statuses.empty()) statuses += ' ';
            statuses += answers.substr(at + version.size(), 3);
        }
        return statuses;
    }
    void expect(const std::vector<ClauseRow>& rows) {
        for (const ClauseRow& row : rows) {
            SCOPED_TRACE(std::string(row.clause) + "\n" + row.bytes.substr(0, 400));
            served.clear();
            EXPECT_EQ(statusesOf(answersTo(row.bytes + last)), row.answers);
            EXPECT_THAT(served, testing::Not(testing::Contains("hidden")));
            EXPECT_EQ(!served.empty() && served.back() == "last", row.answers.size() > 3);
        }
    }

    std::vector<std::string> served;
    support::TestDispatcher dispatcher;
    std::unique_ptr<HttpServer> server;
};

TEST_F(HttpClausesTest, ABodyHasOneLength) {
    expect({
        {"9110 8.6", postOpen(ofSize(0)), ok},
        {"9110 8.6", postOpen(ofSize(hidden.size())) + hidden, ok},
        {"9110 8.6, leading zeros", postOpen("Content-Length: 0033\r\n") + hidden, ok},
        {"9110 8.6", postOpen("Content-Length: +33\r\n") + hidden, "400"},
        {"9110 8.6", postOpen("Content-Length: -1\r\n") + hidden, "400"},
        {"9110 8.6", postOpen("Content-Length: 0 33\r\n") + hidden, "400"},
        {"9110 8.6", postOpen("Content-Length: 0x21\r\n") + hidden, "400"},
        {"9110 8.6", postOpen("Content-Length: 0, 33\r\n") + hidden, "400"},
        {"9110 8.6, may be refused", postOpen("Content-Length: 33,33\r\n") + hidden, "400"},
        {"9110 8.6", postOpen("Content-Length: \r\n") + hidden, "400"},
        {"9110 8.6", postOpen("Content-Length: 33;\r\n") + hidden, "400"},
        {"9110 8.6", postOpen("Content-Length: 18446744073709551649\r\n") + hidden, "413"},
        {"9112 6.3 (5)", postOpen(ofSize(0) + ofSize(33)) + hidden, "400"},
        {"9112 6.3 (5), may be refused", postOpen(ofSize(0) + ofSize(0)) + hidden, "400"},
        {"9112 6.3 (3), CL.TE", postOpen(ofSize(5) + inChunks) + noChunks + hidden, "400"},
        {"9112 6.3 (3), TE.CL", postOpen(inChunks + ofSize(3)) + "21\r\n" + hidden, "400"},
        {"9112 6.3 (7), none", postOpen("") + getOpen(""), "200 200 200"},
        {"9110 9.3.1, a body of GET", getOpen(ofSize(hidden.size())) + hidden, ok},
        {"9110 9.3.1", getOpen(inChunks) + "21\r\n" + hidden + "\r\n" + noChunks, ok},
    });
}

TEST_F(HttpClausesTest, ATransferCodingIsChunkedOrRefused) {
    expect({
        {"9112 7", postOpen("Transfer-Encoding: CHUNKED\r\n") + noChunks, ok},
        {"9112 5.1, blanks around a value", postOpen("Transfer-Encoding:\tchunked \r\n") + noChunks,
         ok},
        {"9112 6.3 (4)", postOpen("Transfer-Encoding: xchunked\r\n") + noChunks + hidden, "400"},
        {"9112 6.3 (4)", postOpen("Transfer-Encoding: identity\r\n") + hidden, "400"},
        {"9112 6.3 (4)", postOpen("Transfer-Encoding: chunked, identity\r\n") + noChunks, "400"},
        {"9112 6.3 (4)", postOpen("Transfer-Encoding: chunked;q=1\r\n") + noChunks, "400"},
        {"9112 6.3 (4)", postOpen("Transfer-Encoding: \"chunked\"\r\n") + noChunks, "400"},
        {"9112 6.3 (4)", postOpen("Transfer-Encoding: \r\n") + noChunks, "400"},
        {"9112 6.1, a coding that it lacks",
         postOpen("Transfer-Encoding: gzip, chunked\r\n") + noChunks, "501"},
        {"9112 6.1, twice", postOpen("Transfer-Encoding: chunked, chunked\r\n") + noChunks, "501"},
        {"9112 6.1, twice", postOpen(inChunks + inChunks) + noChunks + hidden, "400"},
        {"9112 6.1", postOpen(inChunks + "Transfer-Encoding: x\r\n") + noChunks, "400"},
        {"9112 6.1, of HTTP/1.0", "POST /open HTTP/1.0\r\n" + inChunks + "\r\n" + noChunks, "400"},
        {"9112 5.1", postOpen("Transfer-Encoding : chunked\r\n") + noChunks + hidden, "400"},
        {"9112 5.2", postOpen("Transfer-Encoding:\r\n chunked\r\n") + noChunks + hidden, "400"},
        {"9110 5.5", postOpen("Transfer-Encoding:\vchunked\r\n") + noChunks + hidden, "400"},
        {"9110 5.5", postOpen("X: y\nTransfer-Encoding: chunked\r\n") + noChunks, "400"},
        {"9110 5.5", postOpen("X: y\rTransfer-Encoding: chunked\r\n") + noChunks, "400"},
        {"9110 10.1.4, TE: trailers", getOpen("TE: trailers\r\nConnection: TE\r\n"), ok},
    });
}

TEST_F(HttpClausesTest, AChunkEndsWhereItsSizeSays) {
    expect({
        {"9112 7.1", bodyOf("21\r\n" + hidden + "\r\n" + noChunks), ok},
        {"9112 7.1, leading zeros", bodyOf("000\r\n\r\n"), ok},
        {"9112 7.1.1, extensions", bodyOf("1;a=b;c=\"d;e\"\r\nx\r\n0;f\r\n\r\n"), ok},
        {"9112 7.1.1, blanks", bodyOf("1 ;a\r\nx\r\n0 ;b\r\n\r\n"), ok},
        {"9112 7.1.2, trailers", bodyOf("0\r\nX: y\r\nContent-Length: 9\r\n\r\n"), ok},
        {"9112 7.1", bodyOf("0x0\r\n\r\n") + hidden, "400"},
        {"9112 7.1", bodyOf("-0\r\n\r\n") + hidden, "400"},
        {"9112 7.1", bodyOf("+0\r\n\r\n") + hidden, "400"},
        {"9112 7.1", bodyOf(" 0\r\n\r\n") + hidden, "400"},
        {"9112 7.1", bodyOf("g\r\n\r\n") + hidden, "400"},
        {"9112 7.1", bodyOf("\r\n\r\n") + hidden, "400"},
        {"9112 7.1, no wrap-around", bodyOf("10000000000000000\r\n\r\n") + hidden, "413"},
        {"9112 7.1, no wrap-around", bodyOf("ffffffffffffffff\r\n\r\n") + hidden, "413"},
        {"9112 7.1, octets behind a chunk", bodyOf("1\r\nxy\r\n0\r\n\r\n") + hidden, "400"},
        {"9112 7.1, a chunk without its end", bodyOf("1\r\nx0\r\n\r\n") + hidden, "400"},
        {"9112 7.1", bodyOf("0\n\n") + hidden, "400"},
        {"9112 7.1.1", bodyOf("0;a\n\r\n") + hidden, "400"},
        {"9112 7.1.1", bodyOf("1;a\nb\r\nx\r\n0\r\n\r\n") + hidden, "400"},
        {"9112 7.1.1", bodyOf("0;a\r\r\n\r\n") + hidden, "400"},
        {"9112 7.1.1, no end of them", bodyOf("0;" + std::string(100'000, 'a')), "400"},
        {"9112 7.1.2", bodyOf("0\r\nX: y\r\n z\r\n\r\n") + hidden, "400"},
        {"9112 7.1.2", bodyOf("0\r\nGET /hidden HTTP/1.1\r\n\r\n"), "400"},
        {"6585 5, trailers without end", bodyOf("0\r\nX: " + std::string(100'000, 'a')), "431"},
    });
}

TEST_F(HttpClausesTest, AHeaderIsALineWithAName) {
    expect({
        {"9112 2.2, an empty line before it", "\r\n" + getOpen(""), ok},
        {"9112 2.2, a bare LF", "GET /open HTTP/1.1\nHost: h\n\n" + hidden, "400"},
        {"9112 2.2, a bare LF", getOpen("X: y\nZ: z\r\n") + hidden, "400"},
        {"9112 2.2, a bare CR", getOpen("X: y\rZ: z\r\n") + hidden, "400"},
        {"9112 2.2, a blank line that is none", "GET /open HTTP/1.1\r\n \r\n" + hidden, "400"},
        {"9112 2.2, a blank before the first", "GET /open HTTP/1.1\r\n Host: h\r\n\r\n", "400"},
        {"9112 5.1, a blank before the colon", getOpen("X : y\r\n") + hidden, "400"},
        {"9112 5.1, no colon", getOpen("X\r\n") + hidden, "400"},
        {"9110 5.1, no name", getOpen(": y\r\n") + hidden, "400"},
        {"9110 5.6.2, no token", getOpen("X[0]: y\r\n") + hidden, "400"},
        {"9112 5.2, continued", getOpen("X: y\r\n\tz\r\n") + hidden, "400"},
        {"9110 5.5, NUL", getOpen(std::string("X: \0\r\n", 6)) + hidden, "400"},
        {"9110 5.5, other octets", getOpen("X: \xc3\xa4\xff\r\n"), ok},
        {"6585 5, a long one", getOpen("X: " + std::string(100'000, 'y') + "\r\n"), "431"},
        {"6585 5, a name without end", getOpen(std::string(100'000, 'y')), "431"},
        {"9110 10.1.1", postOpen("Expect: y\r\n" + ofSize(33)) + hidden, "417"},
        {"9110 10.1.1", postOpen("Expect: y 100-continue\r\n" + ofSize(33)) + hidden, "417"},
        {"9110 10.1.1", postOpen("Expect: 100-Continue\r\n" + ofSize(33)) + hidden, ok},
        {"9110 10.1.1, a second line",
         postOpen("Expect: 100-continue\r\nExpect: y\r\n" + ofSize(33)) + hidden, "417"},
        {"9110 10.1.1, a second line", postOpen("Expect:\r\nExpect: y\r\n" + ofSize(33)) + hidden,
         "417"},
        {"9110 10.1.1, twice the same",
         postOpen("Expect: 100-continue\r\nExpect: 100-continue\r\n" + ofSize(33)) + hidden, ok},
        {"9110 10.1.1, of HTTP/1.0",
         "POST /open HTTP/1.0\r\nConnection: keep-alive\r\nExpect: 100-continue\r\n" + ofSize(33) +
             "\r\n" + hidden,
         ok},
        {"9110 7.8, another protocol", getOpen("Connection: Upgrade\r\nUpgrade: h2c\r\n"), "200"},
    });
    std::string many;
    for (int i = 0; i < 20'000; ++i) many += "a:\r\n";
    expect({{"6585 5, many", getOpen(many), "431"}});
}

TEST_F(HttpClausesTest, ARequestLineHasThreeParts) {
    expect({
        {"9112 3, HTTP/0.9", "GET /open\r\n" + hidden, "400"},
        {"9112 3", line("GET  /open HTTP/1.1"), "400"},
        {"9112 3", line("GET /open  HTTP/1.1"), "400"},
        {"9112 3", line("GET /open HTTP/1.1 "), "400"},
        {"9112 3", line("GET /a b HTTP/1.1"), "400"},
        {"9112 3", line("GET\t/open HTTP/1.1"), "400"},
        {"9112 3", line(" GET /open HTTP/1.1"), "400"},
        {"9112 3", line("GET /" + std::string(100'000, ' ')), "414"},
        {"9112 3, 414", line("GET /" + std::string(100'000, 'a') + " HTTP/1.1"), "414"},
        {"9112 2.3", line("GET /open HTTP/1.10"), "400"},
        {"9112 2.3", line("GET /open http/1.1"), "400"},
        {"9110 2.5, as 1.1", line("GET /open HTTP/1.9"), ok},
        {"9110 15.6.6", line("GET /open HTTP/2.0"), "505"},
        {"9113 3.4, preface", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + hidden, "505"},
        {"9110 9.1, methods have a case", line("get /open HTTP/1.1"), "501 200"},
        {"9110 9.1", line("BREW /open HTTP/1.1"), "501 200"},
        {"9110 9.3.7", line("OPTIONS * HTTP/1.1"), "501 200"},
        {"9110 9.3.8", line("TRACE /open HTTP/1.1"), "501 200"},
        {"9110 9.3.6, a tunnel", line("CONNECT h:1 HTTP/1.1") + hidden, "501"},
        {"9110 15.5.6", line("DELETE /open HTTP/1.1"), "405 200"},
        {"9110 15.5.5", line("DELETE /open/more HTTP/1.1"), "404 200"},
        {"9110 9.3.2, HEAD", line("HEAD /open HTTP/1.1"), ok},
    });
}

TEST_F(HttpClausesTest, ATargetNamesAHostAndAPath) {
    const auto of = [](const std::string& target, const std::string& host = "Host: h\r\n") {
        return "GET " + target + " HTTP/1.1\r\n" + host + "\r\n";
    };
    expect({
        {"9112 3.2, no Host", of("/open", ""), "400"},
        {"9112 3.2, two", of("/open", "Host: h\r\nHost: other\r\n"), "400"},
        {"9112 3.2, two", of("/open", "Host: h\r\nHost: h\r\n"), "400"},
        {"9112 3.2, no host", of("/open", "Host: h/hidden\r\n"), "400"},
        {"9112 3.2, no host", of("/open", "Host: user@h\r\n"), "400"},
        {"9110 4.2.1, an empty one", of("/open", "Host:\r\n"), "400"},
        {"9112 3.2, of HTTP/1.0", "GET /open HTTP/1.0\r\n\r\n", "200"},
        {"9112 3.2.2, no Host", of("http://there/open", ""), "400"},
        {"9112 3.2.2", of("HTTP://h/open"), ok},
        {"9112 3.2.2", of("https://h/open"), ok},
        {"9110 4.2.1", of("http:///open"), "400"},
        {"9110 4.2.4, a user", of("http://user@h/open"), "400"},
        {"9112 3.2.2, another scheme", of("ftp://h/open"), "400"},
        {"9112 3.2.3, for CONNECT only", of("h:1"), "400"},
        {"9112 3.2.4, for OPTIONS only", of("*"), "400"},
        {"9112 3.2, a fragment", of("/open#a"), "400"},
        {"3986 2.1, an octet", of("/%6Fpen"), ok},
        {"3986 2.2, a slash is data", of("/open%2Fmore"), ok},
        {"3986 2.1, no octet", of("/open%2"), "400"},
        {"3986 2.1, no octet", of("/%zzopen"), "400"},
        {"3986 7.3, NUL", of("/open%00"), "400"},
        {"3986 6.2.2.3, dots are no folder", of("/open/../hidden"), "404 200"},
        {"3986 6.2.2.3", of("/%2e%2e/hidden"), "404 200"},
    });
    EXPECT_THAT(answersTo(of("http://there/open") + last), testing::HasSubstr("\r\n\r\nthere"))
        << "9112 3.2.2: Host is ignored";
}

TEST_F(HttpClausesTest, TheVersionSaysWhetherItStaysOpen) {
    const auto old = [](const std::string& headers) {
        return "GET /open HTTP/1.0\r\n" + headers + "\r\n";
    };
    expect({
        {"9112 9.3, HTTP/1.1", getOpen(""), ok},
        {"9112 9.3", getOpen("Connection: close\r\n"), "200"},
        {"9112 9.6, a list", getOpen("Connection: x, Close\r\n"), "200"},
        {"9112 9.3, HTTP/1.0", old(""), "200"},
        {"9112 9.3", old("Connection: keep-alive\r\n"), ok},
        {"9112 9.3", old("Connection: keep-alive, close\r\n"), "200"},
        {"9112 9.3.2, behind a POST", postOpen(ofSize(2)) + "ab" + getOpen("") + postOpen(""),
         "200 200 200 200"},
    });
}

}  // namespace
