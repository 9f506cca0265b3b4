#include "common/http/HttpServer.h"

#include <nio/base/Log.h>

#include "common/ServerOptions.h"
#include "common/http/HttpConnection.h"

namespace apps {

namespace {

class Welcomer final : public nio::AcceptorListener {
  public:
    explicit Welcomer(std::shared_ptr<const HttpConnection::Shared> shared)
        : shared_(std::move(shared)) {}

    void socketConnected(nio::Acceptor& acceptor, nio::AcceptedConnection connection) override
        NIO_REQUIRES(nio::onDispatcher) {
        auto handler = std::make_unique<HttpConnection>(std::move(connection.channel), shared_);
        handler->keep(std::move(connection.permit));
        const auto done =
            acceptor.dispatcher().registerChannelNow(std::move(handler), nio::Interest::read);
        if (!done)
            nio::log(nio::LogLevel::warning,
                     "http: closing a new connection: " + done.error().message());
    }

  private:
    const std::shared_ptr<const HttpConnection::Shared> shared_;
};

std::shared_ptr<const nio::StreamOptions> streamOptions(const HttpLimits& limits) {
    auto stream = std::make_shared<nio::StreamOptions>();
    stream->outputLimit = limits.outputBytes;
    stream->lingerTimeout = std::chrono::seconds(2);
    return stream;
}

}  // namespace

nio::Result<HttpServer> HttpServer::open(const nio::SocketAddress& address, HttpRoutes routes,
                                         const HttpServerOptions& options) {
    nio::ListenOptions listen;
    listen.keepAlive = usualKeepAlive;
    auto channel = nio::ServerSocketChannel::open(address, listen);
    if (!channel) return channel.error();
    return open(std::move(channel).value(), std::move(routes), options);
}

nio::Result<HttpServer> HttpServer::open(nio::ServerSocketChannel channel, HttpRoutes routes,
                                         const HttpServerOptions& options) {
    auto shared = std::make_shared<HttpConnection::Shared>();
    shared->routes = std::move(routes);
    shared->limits = options.limits;
    shared->stream = streamOptions(options.limits);
    nio::AcceptorOptions accepting;
    accepting.maxConnections = options.maxConnections;
    auto acceptor =
        nio::Acceptor::open(std::move(channel), std::make_unique<Welcomer>(shared), accepting);
    if (!acceptor) return acceptor.error();
    shared->places = std::make_shared<Places>("http", acceptor.value()->gate());
    return HttpServer(std::move(acceptor).value());
}

bool HttpServer::start(nio::SelectorThread& thread, nio::CallbackErrorHandler onError) {
    return acceptor_ != nullptr &&
           thread.registerChannelLater(std::move(acceptor_), nio::Interest::accept,
                                       std::move(onError));
}

}  // namespace apps
