#include "common/http/HttpResponse.h"

#include <gtest/gtest.h>

#include "common/http/HttpResponder.h"
#include "support/TestDispatcher.h"

namespace {

using apps::HttpResponse;

const std::string sentAt = "Sun, 06 Nov 1994 08:49:37 GMT";
const std::string sentAtLine = "Date: " + sentAt + "\r\n";

TEST(HttpResponse, IsWrittenWithContentLengthAndConnection) {
    EXPECT_EQ(toWire(HttpResponse::text(200, "hello"), {}, {true, false, sentAt}),
              "HTTP/1.1 200 OK\r\n" + sentAtLine +
                  "Content-Type: text/plain; charset=utf-8\r\nContent-Length: 5\r\n"
                  "Connection: keep-alive\r\n\r\nhello");
    EXPECT_EQ(toWire(HttpResponse::text(404, "Not Found\n"), {}, {false, false, sentAt}),
              "HTTP/1.1 404 Not Found\r\n" + sentAtLine +
                  "Content-Type: text/plain; charset=utf-8\r\n"
                  "Content-Length: 10\r\nConnection: close\r\n\r\nNot Found\n");
}

TEST(HttpResponse, ToAHeadSaysTheLengthOnly) {
    EXPECT_EQ(toWire(HttpResponse::json(200, "{}"), {}, {true, true, sentAt}),
              "HTTP/1.1 200 OK\r\n" + sentAtLine +
                  "Content-Type: application/json\r\nContent-Length: 2\r\n"
                  "Connection: keep-alive\r\n\r\n");
}

TEST(HttpResponse, ItsOwnHeadersWinOverTheCommonOnes) {
    auto response = HttpResponse::html(200, "").with("Cache-Control", "private");
    EXPECT_EQ(toWire(response, {{"Cache-Control", "no-store"}, {"X-More", "1"}}, {.date = sentAt}),
              "HTTP/1.1 200 OK\r\n" + sentAtLine +
                  "Content-Type: text/html; charset=utf-8\r\n"
                  "Cache-Control: private\r\nX-More: 1\r\nContent-Length: 0\r\n"
                  "Connection: keep-alive\r\n\r\n");
}

TEST(HttpResponder, TellsTheStatusOfItsAnswerOnly) {
    support::TestDispatcher dispatcher;
    const nio::ChannelHandle gone(*dispatcher, 101, 1);
    std::vector<int> told;
    const auto note = [&](int status) { told.push_back(status); };
    apps::HttpResponder first(dispatcher->queue(), gone, 1);
    first.watch(note);
    apps::HttpResponder moved = std::move(first);
    moved.answer({404});
    apps::HttpResponder dropped(dispatcher->queue(), gone, 2);
    dropped.watch(note);
    dropped = apps::HttpResponder(dispatcher->queue(), gone, 3);
    dispatcher.turns(2);
    EXPECT_EQ(told, std::vector{404});
}

}  // namespace
