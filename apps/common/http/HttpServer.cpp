#include "common/http/HttpServer.h"

#include <optional>

#include <nio/base/Log.h>
#include <nio/net/ConnectionDealer.h>

#include "common/ServerOptions.h"
#include "common/http/HttpConnection.h"

namespace apps {

namespace {

std::shared_ptr<const nio::StreamOptions> streamOptions(const HttpLimits& limits) {
    auto stream = std::make_shared<nio::StreamOptions>();
    stream->outputLimit = limits.outputBytes;
    stream->lingerTimeout = std::chrono::seconds(2);
    return stream;
}

nio::HandlerFactory connections(std::shared_ptr<const HttpConnection::Shared> shared) {
    return [shared = std::move(shared)](nio::AcceptedConnection connection) {
        auto handler = HttpConnection::makeHandler(std::move(connection.channel), shared);
        handler->keep(std::move(connection.permit));
        return handler;
    };
}

}  // namespace

// The connections of a server without a group stay on the acceptor's dispatcher.
class HttpServer::Welcomer final : public nio::AcceptorListener {
  public:
    explicit Welcomer(nio::HandlerFactory makeHandler) : makeHandler_(std::move(makeHandler)) {}

    void dealTo(nio::SelectorThreadGroup& group) { dealer_.emplace(group, makeHandler_); }

    void socketConnected(nio::Acceptor& acceptor, nio::AcceptedConnection connection) override
        NIO_REQUIRES(nio::onDispatcher) {
        if (dealer_) return dealer_->socketConnected(acceptor, std::move(connection));
        const auto done = acceptor.dispatcher().registerChannelNow(
            makeHandler_(std::move(connection)), nio::Interest::read);
        if (!done)
            nio::log(nio::LogLevel::warning,
                     "http: closing a new connection: " + done.error().message());
    }
    void batchEnded(nio::Acceptor& acceptor) override NIO_REQUIRES(nio::onDispatcher) {
        if (dealer_) dealer_->batchEnded(acceptor);
    }

  private:
    const nio::HandlerFactory makeHandler_;
    std::optional<nio::ConnectionDealer> dealer_;
};

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
    auto shared = std::make_shared<HttpConnection::Shared>(HttpConnection::Shared{
        std::move(routes), options.limits, streamOptions(options.limits),
        options.tls == nullptr ? nio::tls() : nio::tls(options.tls), nullptr});
    nio::AcceptorOptions accepting;
    accepting.maxConnections = options.maxConnections;
    accepting.gate = options.gate;
    auto welcomer = std::make_unique<Welcomer>(connections(shared));
    Welcomer& welcoming = *welcomer;
    auto acceptor = nio::Acceptor::open(std::move(channel), std::move(welcomer), accepting);
    if (!acceptor) return acceptor.error();
    shared->places = std::make_shared<Places>("http", acceptor.value()->gate());
    return HttpServer(std::move(acceptor).value(), welcoming);
}

bool HttpServer::start(nio::SelectorThread& thread, nio::CallbackErrorHandler onError) {
    if (acceptor_ == nullptr) return false;
    auto begin = [&thread, listening = listening_, acceptor = std::move(acceptor_),
                  onError = std::move(onError)]() mutable {
        nio::onDispatcher.assertCurrent();
        const auto done = thread.registerChannelNow(std::move(acceptor), nio::Interest::accept);
        if (done) {
            *listening = done.value();
        } else if (onError) {
            onError(done.error());
        }
    };
    queue_ = thread.queue();
    return queue_->pushOrRefuse(std::move(begin)).ok();
}

bool HttpServer::start(nio::SelectorThreadGroup& group, nio::CallbackErrorHandler onError) {
    if (acceptor_ == nullptr) return false;
    welcomer_->dealTo(group);
    return start(group[0], std::move(onError));
}

void HttpServer::close() {
    acceptor_.reset();
    if (queue_ == nullptr) return;
    auto end = [listening = listening_] {
        nio::onDispatcher.assertCurrent();
        if (listening->dispatcher() == nullptr) return;
        nio::SelectorHandler* const found = listening->dispatcher()->findNow(*listening);
        if (found != nullptr) found->channel().close();
    };
    (void)queue_->push(std::move(end), nio::TaskQueue::Post::exempt).ok();
}

}  // namespace apps
