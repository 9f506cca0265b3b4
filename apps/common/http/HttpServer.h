// A small HTTP/1.1 server on one dispatcher or a group of them. Answers may come later; a
// connection waits for its own only. See HttpLimits for what a client may cost. When all places are
// taken, the connection that has been idle longest gives way to a new one, of the source that has
// the most; if none is idle, the new one waits in the listen backlog.
//
// Its connections drain with their dispatcher: what was asked is answered, then they end.
//
// Thread: any, one at a time.
// Lifetime: the server may go once it is started; it goes on until its dispatcher stops. What the
// routes refer to must live as long as the dispatchers make turns.
#pragma once

#include <memory>

#include <nio/group/SelectorThreadGroup.h>
#include <nio/net/Acceptor.h>

#include <nio-tls/Tls.h>
#include "common/http/HttpParser.h"
#include "common/http/HttpRoutes.h"

namespace apps {

struct HttpServerOptions {
    HttpLimits limits{};
    std::size_t maxConnections = 64;
    // Counts and limits them, in place of maxConnections. Null: its own.
    std::shared_ptr<nio::ConnectionGate> gate{};
    // What connections open with from then on. Null, or without a context: plain HTTP.
    std::shared_ptr<const nio::TlsSlot> tls{};
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
    // Once. False: the dispatcher has stopped, and the server is closed. Later errors go to
    // onError.
    [[nodiscard]] bool start(nio::SelectorThread& thread, nio::CallbackErrorHandler onError = {});
    // Accepts on the first dispatcher and deals the connections out to all.
    [[nodiscard]] bool start(nio::SelectorThreadGroup& group,
                             nio::CallbackErrorHandler onError = {});
    // Accepts no more, started or not; what is connected stays.
    void close();

  private:
    class Welcomer;

    HttpServer(std::unique_ptr<nio::Acceptor> acceptor, Welcomer& welcomer)
        : acceptor_(std::move(acceptor)), welcomer_(&welcomer), address_(acceptor_->address()) {}

    std::unique_ptr<nio::Acceptor> acceptor_;  // until start()
    Welcomer* welcomer_;                       // the acceptor's
    nio::SocketAddress address_;
    std::shared_ptr<nio::TaskQueue> queue_;  // since start()
    // The acceptor's dispatcher's.
    std::shared_ptr<nio::ChannelHandle> listening_ = std::make_shared<nio::ChannelHandle>();
};

}  // namespace apps
