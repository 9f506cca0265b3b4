#include "common/http/HttpResponse.h"

#include <gtest/gtest.h>

namespace {

using apps::HttpResponse;

TEST(HttpResponse, IsWrittenWithContentLengthAndConnection) {
    EXPECT_EQ(toWire(HttpResponse::text(200, "hello"), {}, {true, false}),
              "HTTP/1.1 200 OK\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: 5\r\n"
              "Connection: keep-alive\r\n\r\nhello");
    EXPECT_EQ(toWire(HttpResponse::plain(404), {}, {false, false}),
              "HTTP/1.1 404 Not Found\r\nContent-Type: text/plain; charset=utf-8\r\n"
              "Content-Length: 10\r\nConnection: close\r\n\r\nNot Found\n");
}

TEST(HttpResponse, ToAHeadSaysTheLengthOnly) {
    EXPECT_EQ(toWire(HttpResponse::json(200, "{}"), {}, {true, true}),
              "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n"
              "Connection: keep-alive\r\n\r\n");
}

TEST(HttpResponse, ItsOwnHeadersWinOverTheCommonOnes) {
    auto response = HttpResponse::html(200, "").with("Cache-Control", "private");
    EXPECT_EQ(toWire(response, {{"Cache-Control", "no-store"}, {"X-More", "1"}}, {}),
              "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n"
              "Cache-Control: private\r\nX-More: 1\r\nContent-Length: 0\r\n"
              "Connection: keep-alive\r\n\r\n");
}

}  // namespace
