// The head of one request: lines in, an HttpRequest and the length of its body out. Pure.
//
// Lines come without their CRLF. Each function returns 0, or the status to answer with. Whatever
// two readers could understand in two ways is 400: a blank before the colon, a continued line, a
// second Host or Content-Length, a length beside a transfer coding. Transfer codings below the
// chunks: 501.
//
// Thread: one at a time.
// Source: RFC 9110, RFC 9112.
#pragma once

#include <cstdint>
#include <string_view>

#include "common/http/HttpRequest.h"

namespace apps {

// A size that was written in that base, digits only. Returns 0, 400, or 413 for one that no counter
// holds.
int readHttpSize(std::string_view digits, int base, std::uint64_t& size);

class HttpHead {
  public:
    int readRequestLine(std::string_view line, std::size_t mostUrlBytes);
    int readHeader(std::string_view line);
    // Behind the last header: what only all of them show.
    int finish();

    // Once finished. The body follows in chunks, or has that many bytes.
    bool isChunked() const { return isChunked_; }
    std::uint64_t bodyBytes() const { return bodyBytes_; }
    // The client waits for 100 (Continue) before it sends the body.
    bool awaitsContinue() const { return awaitsContinue_; }
    HttpRequest& request() { return request_; }

  private:
    int readVersion(std::string_view version);
    int splitTarget();
    int checkHost();
    int findBody();
    int readCoding(std::string_view codings);
    int checkExpectation();
    bool staysOpen() const;

    HttpRequest request_;
    std::string target_;  // of the request line, as it came
    bool isOld_ = false;  // HTTP/1.0
    bool isChunked_ = false;
    bool awaitsContinue_ = false;
    std::uint64_t bodyBytes_ = 0;
};

}  // namespace apps
