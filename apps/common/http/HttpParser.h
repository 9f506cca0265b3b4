// Bytes to requests: the packaged http_parser, with limits. Pure; it knows no socket.
//
// It stops behind each request, so that what is pipelined waits in its owner's hands until the
// request before it is answered. After an error it is at its end: what follows is not HTTP.
//
// Refused beyond what the package refuses: HTTP/1.1 without exactly one Host (400), other versions
// than 1.x (505), what is over a limit (413, 414, 431).
//
// Thread: one at a time.
// Source: RFC 9110, RFC 9112.
#pragma once

#include <http_parser.h>

#include <optional>
#include <string_view>

#include "common/http/HttpLimits.h"
#include "common/http/HttpRequest.h"

namespace apps {

class HttpParser {
  public:
    explicit HttpParser(const HttpLimits& limits);
    HttpParser(const HttpParser&) = delete;
    HttpParser& operator=(const HttpParser&) = delete;

    // Reads on; returns how many bytes are done with: all of them, unless a request is complete or
    // there is an error.
    std::size_t feed(std::string_view bytes);

    // The request that has become complete, once.
    std::optional<HttpRequest> take();
    // The status to answer with; 0: no error.
    int errorStatus() const { return error_; }
    // A part of a request has been read.
    bool isInside() const { return inside_; }
    // Once per request: its client waits for 100 (Continue) before it sends the body.
    bool takeContinue();

  private:
    enum class Field { none, name, value };

    template <int (HttpParser::*callback)()>
    static int notify(http_parser* parser) {
        return (static_cast<HttpParser*>(parser->data)->*callback)();
    }
    template <int (HttpParser::*callback)(std::string_view)>
    static int pass(http_parser* parser, const char* at, std::size_t length) {
        return (static_cast<HttpParser*>(parser->data)->*callback)({at, length});
    }
    static const http_parser_settings& callbacks();

    int messageBegun();
    int urlRead(std::string_view part);
    int nameRead(std::string_view part);
    int valueRead(std::string_view part);
    int headersComplete();
    int bodyRead(std::string_view part);
    int messageComplete();

    int statusOf(http_errno code) const;
    // Stops the parser: what its callbacks return.
    int refuse(int status);
    int countHeader(std::size_t bytes);
    int checkHead();
    int checkHost();
    int splitUrl();
    void tidyFields();

    const HttpLimits& limits_;
    http_parser parser_{};
    HttpRequest request_;
    std::string url_;
    Field field_ = Field::none;
    std::size_t headerBytes_ = 0;
    int error_ = 0;
    bool inside_ = false;
    bool headIsOver_ = false;  // what looks like headers now are trailers
    bool complete_ = false;
    bool wantsContinue_ = false;
};

}  // namespace apps
