// Bytes to requests, with limits. Pure; it knows no socket.
//
// It stops behind each request, so that what is pipelined waits in its owner's hands until the
// request before it is answered. After an error it is at its end: what follows is not HTTP. Where
// the stream is cut changes nothing.
//
// A line ends with CRLF and has no control character but tabs: 400. See HttpHead.h for what is
// refused in a head. Over a limit: 413, 414, 431. Other versions than 1.x: 505.
//
// Thread: one at a time.
// Source: RFC 9112.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "common/http/HttpHead.h"

namespace apps {

// What one connection of an HttpServer may cost. Over a limit the client is answered with the
// status beside it, and the connection ends.
struct HttpLimits {
    std::size_t urlBytes = 2 * 1024;      // 414
    std::size_t headerBytes = 16 * 1024;  // 431; of all header lines of a request, trailers too
    std::size_t bodyBytes = 64 * 1024;    // 413
    // From the first byte of a request to its last: 408.
    std::chrono::milliseconds requestTimeout{10'000};
    // From the connect to the first request. Closes without an answer.
    std::chrono::milliseconds firstTimeout{10'000};
    // Between two requests, and for a client that does not take its answer. Closes without an
    // answer.
    std::chrono::milliseconds idleTimeout{60'000};
    // Of answers that the client has not taken yet; over it the connection is aborted.
    std::size_t outputBytes = 64 * 1024 * 1024;
};

class HttpParser {
  public:
    explicit HttpParser(const HttpLimits& limits) : limits_(limits) {}
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
    // What the next byte belongs to.
    enum class Part { requestLine, header, body, chunkSize, chunkBytes, chunkEnd, trailer };

    bool isOver() const { return complete_ || error_ != 0; }
    std::size_t readLine(std::string_view bytes);
    std::size_t readBody(std::string_view bytes);
    std::string_view textOf(std::string_view bytes) const;
    // True: the line is complete.
    bool takeControl(char byte);
    void keep(std::string_view part);
    void count(std::size_t bytes);
    std::size_t room() const;
    int statusOfLimit() const;
    void lineRead(std::string_view line);
    void headRead();
    void chunkSizeRead(std::string_view line);
    // So many bytes of the body come next.
    void expectBytes(std::uint64_t bytes, Part part);
    void complete();
    void refuse(int status);

    const HttpLimits& limits_;
    HttpHead head_;
    std::string line_;  // as far as it has come, where it comes in pieces
    Part part_ = Part::requestLine;
    std::uint64_t expected_ = 0;   // bytes of the body, or of its chunk
    std::size_t headerBytes_ = 0;  // trailers too
    int error_ = 0;
    bool inside_ = false;
    bool complete_ = false;
    bool awaitsContinue_ = false;
};

}  // namespace apps
