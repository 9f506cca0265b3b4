// The places of an HttpServer. Where the last one is taken, who has not been served for the longest
// gives up its own: nobody keeps others out by being there, with or without a request begun.
//
// Thread: the dispatcher's own, except construction.
#pragma once

#include <cstddef>
#include <list>
#include <optional>

#include <nio/base/ThreadRole.h>

namespace apps {

class HttpConnection;

class HttpPlaces {
  public:
    // One place of these, the connection's own; it is nowhere while an answer is awaited.
    using Turn = std::optional<std::list<HttpConnection*>::iterator>;

    explicit HttpPlaces(std::size_t most) : most_(most) {}

    void come(HttpConnection& connection, Turn& turn) NIO_REQUIRES(nio::onDispatcher);
    // An answer is awaited: that one stays.
    void serve(Turn& turn) NIO_REQUIRES(nio::onDispatcher);
    void served(HttpConnection& connection, Turn& turn) NIO_REQUIRES(nio::onDispatcher);
    void leave(Turn& turn) NIO_REQUIRES(nio::onDispatcher);

  private:
    const std::size_t most_;
    std::size_t taken_ = 0;
    std::list<HttpConnection*> unserved_;  // for the longest: first
};

}  // namespace apps
