#include "common/http/HttpParser.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using apps::HttpLimits;
using apps::HttpParser;
using apps::HttpRequest;
using testing::ElementsAre;
using testing::Pair;

const std::string get = "GET /a/b?c=d HTTP/1.1\r\nHost: here:80\r\nX-Some: thing \r\n\r\n";
const std::string post =
    "POST /p HTTP/1.1\r\nHOST: here\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhello";
const std::string chunked =
    "PUT / HTTP/1.1\r\nhost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
    "3\r\nabc\r\n2;x=y\r\nde\r\n0\r\nHost: evil\r\nX-Trailer: 1\r\n\r\n";

class HttpParserTest : public testing::Test {
  protected:
    // Feeds all, in pieces of that size; stops at an error.
    void read(std::string_view text, std::size_t piece) {
        while (!text.empty() && parser.errorStatus() == 0) {
            const std::string_view next = text.substr(0, piece);
            std::size_t done = 0;
            while (done < next.size() && parser.errorStatus() == 0) {
                done += parser.feed(next.substr(done));
                if (auto request = parser.take()) requests.push_back(std::move(*request));
            }
            text.remove_prefix(next.size());
        }
    }

    HttpLimits limits;
    HttpParser parser{limits};
    std::vector<HttpRequest> requests;
};

int statusOf(const std::string& text, const HttpLimits& limits = {}) {
    HttpParser parser(limits);
    (void)parser.feed(text);
    return parser.errorStatus();
}

// As many requests as there are, however the bytes arrive.
class EachPiece : public HttpParserTest, public testing::WithParamInterface<std::size_t> {};
INSTANTIATE_TEST_SUITE_P(Sizes, EachPiece,
                         testing::Values(1, 2, 3, 5, 7, 11, 16, 33, 64, 100, 1000));

TEST_P(EachPiece, GivesTheSameRequests) {
    read(get + post.substr(0, 9) + post.substr(9), GetParam());
    ASSERT_EQ(parser.errorStatus(), 0);
    ASSERT_EQ(requests.size(), 2U);
    EXPECT_EQ(requests[0].method, "GET");
    EXPECT_EQ(requests[0].path, "/a/b");
    EXPECT_EQ(requests[0].query, "c=d");
    EXPECT_EQ(requests[0].host, "here:80");
    EXPECT_THAT(requests[0].headers, ElementsAre(Pair("host", "here:80"), Pair("x-some", "thing")));
    EXPECT_TRUE(requests[0].keepAlive);
    EXPECT_EQ(requests[1].method, "POST");
    EXPECT_EQ(requests[1].host, "here");
    EXPECT_EQ(requests[1].body, "hello");
    EXPECT_FALSE(requests[1].keepAlive);
    EXPECT_FALSE(parser.isInside());
}

TEST_P(EachPiece, ManySmallChunksFit) {
    std::string text = chunked.substr(0, chunked.find("3\r\n"));
    for (int i = 0; i < 20'000; ++i) text += "1\r\nc\r\n";
    read(text + "0\r\n\r\n", GetParam());
    ASSERT_EQ(requests.size(), 1U);
    EXPECT_EQ(requests[0].body, std::string(20'000, 'c'));
}

TEST_P(EachPiece, ChunksBecomeOneBodyAndTrailersAreNoHeaders) {
    read(chunked + get, GetParam());
    ASSERT_EQ(parser.errorStatus(), 0);
    ASSERT_EQ(requests.size(), 2U);
    EXPECT_EQ(requests[0].body, "abcde");
    EXPECT_EQ(requests[0].host, "h");
    EXPECT_FALSE(requests[0].hasHeader("x-trailer"));
    EXPECT_EQ(requests[1].path, "/a/b");
}

TEST_F(HttpParserTest, StopsBehindARequestUntilItIsAskedToGoOn) {
    EXPECT_EQ(parser.feed(get + get), get.size());
    EXPECT_EQ(parser.feed(get), 0U) << "the first is not taken yet";
    EXPECT_TRUE(parser.take());
    EXPECT_FALSE(parser.take());
    EXPECT_EQ(parser.feed(get), get.size());
    EXPECT_TRUE(parser.take());
}

TEST_F(HttpParserTest, KnowsWhetherARequestHasBegun) {
    EXPECT_FALSE(parser.isInside());
    read("\r\n\r\n", 1);
    EXPECT_FALSE(parser.isInside()) << "empty lines before a request are none";
    parser.feed("G");
    EXPECT_TRUE(parser.isInside());
}

TEST_F(HttpParserTest, AnAbsoluteUrlNamesTheHost) {
    read(
        "GET http://there:81/x?y HTTP/1.0\r\n\r\n"
        "GET http://[::1] HTTP/1.1\r\nHost: [::1]\r\n\r\n"
        "GET http://there?y HTTP/1.1\r\nHost: here\r\n\r\n",
        1000);
    ASSERT_EQ(requests.size(), 3U);
    EXPECT_EQ(requests[0].host, "there:81");
    EXPECT_EQ(requests[0].path, "/x");
    EXPECT_EQ(requests[1].host, "[::1]");
    EXPECT_EQ(requests[1].path, "/");
    EXPECT_EQ(requests[2].host, "there");
    EXPECT_EQ(requests[2].path, "/");
    EXPECT_EQ(requests[2].query, "y");
}

TEST_F(HttpParserTest, OldClientsAreServedOnce) {
    read("GET / HTTP/1.0\r\n\r\n", 1000);
    ASSERT_EQ(requests.size(), 1U);
    EXPECT_FALSE(requests[0].keepAlive);
    EXPECT_EQ(requests[0].host, "");
}

TEST_F(HttpParserTest, WhoWantsToUpgradeIsServedOnce) {
    read("GET / HTTP/1.1\r\nHost: h\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n", 1000);
    ASSERT_EQ(requests.size(), 1U);
    EXPECT_FALSE(requests[0].keepAlive);
}

TEST_F(HttpParserTest, SaysOnceThatAClientWaitsWithItsBody) {
    parser.feed("POST / HTTP/1.1\r\nHost: h\r\nExpect: 100-Continue\r\nContent-Length: 2\r\n\r\n");
    EXPECT_TRUE(parser.takeContinue());
    EXPECT_FALSE(parser.takeContinue());
    parser.feed("ab");
    EXPECT_EQ(parser.take()->body, "ab");
    EXPECT_FALSE(parser.takeContinue());
}

const std::string requestLine = "GET / HTTP/1.1\r\n";
const std::string host = "Host: h\r\n";
const std::string getLine = requestLine + host;
const std::string postLine = "POST / HTTP/1.1\r\n" + host;
const std::string chunkedHead = postLine + "Transfer-Encoding: chunked\r\n\r\n";

TEST(HttpParserErrors, WhatIsNotHttpIs400) {
    for (const std::string& text : {
             std::string("\x16\x03\x01\x02"),  // TLS
             "GET\r\n" + host + "\r\n",
             "GET /\r\n" + host + "\r\n",
             "GET  / HTTP/1.1\r\n" + host + "\r\n",
             "GET / HTTP/1.1 \r\n" + host + "\r\n",
             " GET / HTTP/1.1\r\n" + host + "\r\n",
             "GET\t/ HTTP/1.1\r\n" + host + "\r\n",
             "G(T / HTTP/1.1\r\n" + host + "\r\n",
             "GET a HTTP/1.1\r\n" + host + "\r\n",
             "GET * HTTP/1.1\r\n" + host + "\r\n",
             "GET /#a HTTP/1.1\r\n" + host + "\r\n",
             "GET /\x80 HTTP/1.1\r\n" + host + "\r\n",
             "GET ftp://h/ HTTP/1.1\r\n" + host + "\r\n",
             getLine + "not a header\r\n\r\n",
             getLine + ": no name\r\n\r\n",
             getLine + "a\x01: b\r\n\r\n",
             getLine + "(a): b\r\n\r\n",
         }) {
        EXPECT_EQ(statusOf(text), 400) << text;
    }
}

TEST(HttpParserErrors, AVersionHasTwoDigits) {
    for (const char* const version : {"HTTP/1.10", "HTTP/1", "HTTP/1.", "HTTP/01.1", "HTTP/1.1.1",
                                      "http/1.1", "XTTP/1.1", "HTTP/1,1", "HTTP/1.x", ""}) {
        EXPECT_EQ(statusOf("GET / " + std::string(version) + "\r\n" + host + "\r\n"), 400)
            << version;
    }
}

TEST(HttpParserErrors, ALineEndsWithBothCrAndLf) {
    for (const std::string& text : {
             std::string("\n"),
             std::string("\r\r\n"),
             "GET / HTTP/1.1\n" + host + "\r\n",
             requestLine + "Host: h\n\r\n",
             getLine + "\n",
             getLine + "a: b\rc: d\r\n\r\n",
             getLine + "a: b\r\r\n\r\n",
             chunkedHead + "1\na",
             chunkedHead + "1\rab",
             chunkedHead + "1\r\na\n",
             chunkedHead + "1\r\nab\r\n",
             chunkedHead + "1\r\na\rb",
             chunkedHead + "0\n\n",
             chunkedHead + "0\r\n\n",
         }) {
        EXPECT_EQ(statusOf(text), 400) << text;
    }
}

TEST(HttpParserErrors, AHeaderIsOneLine) {
    EXPECT_EQ(statusOf(getLine + "a: b\r\n c\r\n\r\n"), 400);
    EXPECT_EQ(statusOf(getLine + "a: b\r\n\tc\r\n\r\n"), 400);
    EXPECT_EQ(statusOf(getLine + "a: b\r\n \r\n\r\n"), 400);
    EXPECT_EQ(statusOf(requestLine + " " + host + "\r\n"), 400) << "nor is it before the first";
    EXPECT_EQ(statusOf(chunkedHead + "0\r\na: b\r\n c\r\n\r\n"), 400) << "nor in trailers";
}

TEST(HttpParserErrors, NoBlankStandsBeforeTheColon) {
    EXPECT_EQ(statusOf(postLine + "Transfer-Encoding : chunked\r\n\r\n"), 400);
    EXPECT_EQ(statusOf(postLine + "Content-Length\t: 5\r\n\r\n"), 400);
    EXPECT_EQ(statusOf(chunkedHead + "0\r\na : b\r\n\r\n"), 400);
}

TEST(HttpParserErrors, ControlCharactersAre400) {
    for (int c = 0; c < 0x20; ++c) {
        const std::string octet(1, static_cast<char>(c));
        const bool isFine = c == '\t';
        EXPECT_EQ(statusOf(getLine + "a: b" + octet + "c\r\n\r\n"), isFine ? 0 : 400) << c;
        EXPECT_EQ(statusOf(getLine + "a" + octet + ": b\r\n\r\n"), 400) << c;
        EXPECT_EQ(statusOf("GET /" + octet + " HTTP/1.1\r\n" + host + "\r\n"), 400) << c;
    }
    EXPECT_EQ(statusOf(getLine + "a: \x7f\r\n\r\n"), 400);
    EXPECT_EQ(statusOf(getLine + "a: \xc3\xa4\r\n\r\n"), 0) << "other bytes are nobody's";
    EXPECT_EQ(statusOf(chunkedHead + "1;a=\x01\r\na\r\n"), 400);
}

TEST(HttpParserErrors, ALengthIsDigitsAndSaidOnce) {
    for (const char* const value :
         {"", "+5", "-5", "0x5", "5x", "5 5", "5, 5", "5,5", "\"5\"", "5.0", "5\t5"}) {
        EXPECT_EQ(statusOf(postLine + "Content-Length: " + value + "\r\n\r\n"), 400) << value;
    }
    const std::string length = "Content-Length: 1\r\n";
    const std::string coding = "Transfer-Encoding: chunked\r\n";
    for (const std::string& headers : {length + "Content-Length: 2\r\n", length + length,
                                       length + coding, coding + length, coding + coding}) {
        EXPECT_EQ(statusOf(postLine + headers + "\r\n"), 400) << headers;
    }
}

TEST(HttpParserErrors, TheOnlyTransferCodingIsChunked) {
    for (const char* const value :
         {"", "identity", "gzip", "chunked, identity", "xchunked", "chunked;q=1", "\vchunked"}) {
        EXPECT_EQ(statusOf(postLine + "Transfer-Encoding: " + value + "\r\n\r\n"), 400) << value;
    }
    EXPECT_EQ(statusOf(postLine + "Transfer-Encoding: gzip ,chunked\r\n\r\n"), 501);
    EXPECT_EQ(statusOf("POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n"), 400);
    EXPECT_EQ(statusOf(postLine + "Transfer-Encoding:\tChunked \r\n\r\n"), 0);
}

TEST(HttpParserErrors, AChunkSizeIsHexadecimal) {
    for (const char* const line :
         {"", "x", "+1", "-1", "0x1", "1 ", " 1", "1 1", "1,a", ";a=b", "1\t"}) {
        EXPECT_EQ(statusOf(chunkedHead + line + "\r\na\r\n"), 400) << line;
    }
    for (const char* const line : {"1", "01", "00000000000000000001", "1;a=b", "1 ;a"}) {
        EXPECT_EQ(statusOf(chunkedHead + line + "\r\na\r\n0\r\n\r\n"), 0) << line;
    }
    EXPECT_EQ(statusOf(chunkedHead + "1;" + std::string(1000, 'a')), 400);
    EXPECT_EQ(statusOf(chunkedHead + "ffffffffffffffff\r\n"), 413);
    EXPECT_EQ(statusOf(chunkedHead + "10000000000000001\r\n"), 413);
}

TEST(HttpParserErrors, AnAbsoluteUrlNamesAHost) {
    const auto status = [](const std::string& url) {
        return statusOf("GET " + url + " HTTP/1.1\r\nHost: a\r\n\r\n");
    };
    EXPECT_EQ(status("http://a/"), 0);
    EXPECT_EQ(status("HTTPS://B:80?c"), 0);
    EXPECT_EQ(status("http://b@a/"), 400);
    EXPECT_EQ(status("http:///"), 400);
    EXPECT_EQ(status("http:/a"), 400);
    EXPECT_EQ(status("http"), 400);
}

TEST(HttpParserErrors, AHostIsAName) {
    for (const char* const name : {"", "a b", "a, b", "a/b", "b@a", "a\\b", "<a>"}) {
        EXPECT_EQ(statusOf(requestLine + "Host: " + name + "\r\n\r\n"), 400) << name;
    }
    EXPECT_EQ(statusOf(requestLine + "Host: [::1]:80\r\n\r\n"), 0);
}

TEST(HttpParserErrors, AHostIsNamedOnce) {
    EXPECT_EQ(statusOf("GET / HTTP/1.1\r\n\r\n"), 400);
    EXPECT_EQ(statusOf("GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n"), 400);
    EXPECT_EQ(statusOf("GET / HTTP/1.0\r\nHost: a\r\nHost: b\r\n\r\n"), 400);
    EXPECT_EQ(statusOf("GET / HTTP/1.1\r\nHost: a\r\n\r\n"), 0);
}

TEST(HttpParserErrors, OnlyVersionOneIsSpoken) {
    EXPECT_EQ(statusOf("GET / HTTP/2.0\r\nHost: h\r\n\r\n"), 505);
}

TEST(HttpParserErrors, ConnectionOptionsAreAList) {
    const auto keepsAlive = [](const std::string& version, const std::string& options) {
        const HttpLimits limits;
        HttpParser parser(limits);
        parser.feed("GET / HTTP/" + version + "\r\nHost: h\r\n" + options + "\r\n");
        return parser.take()->keepAlive;
    };
    EXPECT_TRUE(keepsAlive("1.1", ""));
    EXPECT_FALSE(keepsAlive("1.1", "Connection: te, Close\r\n"));
    EXPECT_FALSE(keepsAlive("1.1", "Connection: te\r\nConnection: close\r\n"));
    EXPECT_FALSE(keepsAlive("1.0", ""));
    EXPECT_TRUE(keepsAlive("1.0", "Connection: te ,Keep-Alive\r\n"));
    EXPECT_FALSE(keepsAlive("1.0", "Connection: keep-alive, close\r\n"));
}

TEST(HttpParserErrors, OtherExpectationsThanContinueAre417) {
    EXPECT_EQ(statusOf("GET / HTTP/1.1\r\nHost: h\r\nExpect: wonders\r\n\r\n"), 417);
}

std::string withUrl(std::size_t bytes) {
    return "GET /" + std::string(bytes - 1, 'u') + " HTTP/1.1\r\nHost: h\r\n\r\n";
}

TEST(HttpParserErrors, ALongUrlIs414) {
    const HttpLimits limits;
    EXPECT_EQ(statusOf(withUrl(limits.urlBytes)), 0);
    EXPECT_EQ(statusOf(withUrl(limits.urlBytes + 1)), 414);
    EXPECT_EQ(statusOf(withUrl(1'000'000)), 414);
}

// The end of a line counts as one.
std::string withHeaders(std::size_t bytes) {
    return "GET / HTTP/1.1\r\nHost:here999\r\nX:" + std::string(bytes - 17, 'v') + "\r\n\r\n";
}

TEST(HttpParserErrors, TooManyHeaderBytesAre431) {
    const HttpLimits limits;
    EXPECT_EQ(statusOf(withHeaders(limits.headerBytes)), 0);
    EXPECT_EQ(statusOf(withHeaders(limits.headerBytes + 1)), 431);
    EXPECT_EQ(statusOf(withHeaders(1'000'000)), 431);
    std::string many = "GET / HTTP/1.1\r\nHost: h\r\n";
    for (int i = 0; i < 6000; ++i) many += "a:\r\n";
    EXPECT_EQ(statusOf(many), 431) << "empty ones count, too";
    EXPECT_EQ(statusOf(chunked.substr(0, chunked.size() - 2) +
                       "T: " + std::string(limits.headerBytes, 't')),
              431)
        << "and trailers";
}

TEST(HttpParserErrors, ALargeBodyIs413) {
    const HttpLimits limits;
    const auto sized = [](std::size_t bytes) {
        return "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: " + std::to_string(bytes) +
               "\r\n\r\n";
    };
    EXPECT_EQ(statusOf(sized(limits.bodyBytes)), 0);
    EXPECT_EQ(statusOf(sized(limits.bodyBytes + 1)), 413) << "before any of it has come";
    const std::string head = chunked.substr(0, chunked.find("3\r\n"));
    const std::string chunk = "8000\r\n" + std::string(0x8000, 'c') + "\r\n";
    EXPECT_EQ(statusOf(head + chunk + chunk), 0);
    EXPECT_EQ(statusOf(head + chunk + chunk + "1\r\nc\r\n"), 413);
}

TEST(HttpParserErrors, NothingIsReadBehindAnError) {
    const HttpLimits limits;
    HttpParser parser(limits);
    parser.feed("nonsense\r\n");
    EXPECT_EQ(parser.feed(get), 0U);
    EXPECT_FALSE(parser.take());
    EXPECT_EQ(parser.errorStatus(), 400);
}

}  // namespace
