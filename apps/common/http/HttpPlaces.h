// The places of an HttpServer. Where the last one is taken, who has not been served for the longest
// gives up its own: nobody keeps others out by being there, with or without a request begun. A
// single place is its connection's until that ends.
//
// Thread: the dispatcher's own, except construction.
// Errors: come() and served() throw std::bad_alloc; leave() is due after come() all the same.
#pragma once

#include <cstddef>
#include <list>
#include <optional>

#include <nio/base/ThreadRole.h>

namespace apps {

class HttpConnection;

class HttpPlaces {
  public:
    // Where a connection stands among those that make room, which it keeps itself; nowhere while
    // it awaits an answer.
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
