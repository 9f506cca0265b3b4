// A small HTTP/1.1 server on one dispatcher: for status pages and metrics, not for the web at
// large. Answers may come later; a connection waits for its own only. See HttpLimits for what
// a client may cost. When all places are taken, the connection that has been idle longest gives way
// to a new one, of the source that has the most; if none is idle, the new one waits in the listen
// backlog.
//
// It drains with its dispatcher: what was asked is answered, then the connections end.
//
// Thread: any, one at a time.
// Lifetime: the server may go once it is started; what the routes refer to must live as long as the
// dispatcher makes turns.
#pragma once

#include <memory>

#include <nio/loop/SelectorThread.h>
#include <nio/net/Acceptor.h>

#include "common/http/HttpParser.h"
#include "common/http/HttpRoutes.h"

namespace apps {

struct HttpServerOptions {
    HttpLimits limits{};
    std::size_t maxConnections = 64;
};

class HttpServer {
  public:
    // Bound and listening; connections wait in the backlog until start().
    static nio::Result<HttpServer> open(const nio::SocketAddress& address, HttpRoutes routes,
                                        const HttpServerOptions& options = {});
    // On a channel that listens already.
    static nio::Result<HttpServer> open(nio::ServerSocketChannel channel, HttpRoutes routes,
                                        const HttpServerOptions& options = {});

    // With the port that the system chose.
    const nio::SocketAddress& address() const { return address_; }
    // Once. False: the dispatcher has stopped. Later errors go to onError.
    [[nodiscard]] bool start(nio::SelectorThread& thread, nio::CallbackErrorHandler onError = {});

  private:
    explicit HttpServer(std::unique_ptr<nio::Acceptor> acceptor)
        : acceptor_(std::move(acceptor)), address_(acceptor_->address()) {}

    std::unique_ptr<nio::Acceptor> acceptor_;  // until start()
    nio::SocketAddress address_;
};

}  // namespace apps
