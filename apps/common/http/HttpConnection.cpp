#include "common/http/HttpConnection.h"

#include <tuple>
#include <utility>

#include <nio/loop/SelectorThread.h>
#include <nio/pipeline/Pipeline.h>

#include "common/Endpoint.h"
#include "common/http/HttpDate.h"
#include "common/http/HttpGzip.h"

namespace apps {

// A stage, since only a stage may leave what is pipelined to the pipeline.
struct HttpConnection::Reading {
    using In = nio::ByteStream;

    std::size_t read(auto& context, nio::ByteView bytes) NIO_REQUIRES(nio::onDispatcher) {
        const std::size_t done = http->parse(nio::asText(bytes));
        context.taken(done);
        http->parsed();
        return done;
    }

    HttpConnection* http;
};

struct HttpConnection::Application {
    void opened(auto& connection) NIO_REQUIRES(nio::onDispatcher) { http->opened(connection); }
    void read(auto&, nio::ByteView) {}
    void closed(auto&) NIO_REQUIRES(nio::onDispatcher) { http->deadline_.reset(); }

    std::shared_ptr<HttpConnection> http;
};

struct HttpConnection::Stages {
    using Connection = nio::Pipeline<nio::TlsStage, Reading, Application>;
};

std::unique_ptr<nio::StreamHandler> HttpConnection::makeHandler(
    nio::SocketChannel channel, std::shared_ptr<const Shared> shared) {
    auto http = std::make_shared<HttpConnection>(shared);
    const Reading reading{http.get()};
    return std::make_unique<Stages::Connection>(
        std::move(channel), shared->stream,
        std::tuple(shared->tls, reading, Application{std::move(http)}));
}

HttpConnection* HttpConnection::findNow(const nio::ChannelHandle& handle) {
    nio::SelectorHandler* const found = handle.dispatcher()->findNow(handle);
    if (found == nullptr) return nullptr;
    return static_cast<Stages::Connection*>(found)->application().http.get();
}

void HttpConnection::opened(nio::StreamHandler& connection) {
    connection_ = &connection;
    deadline_.emplace(connection.dispatcher().deadlines(), [this] {
        nio::onDispatcher.assertCurrent();
        timeIsUp();
    });
    const auto peer = connection.channel().peerAddress();
    if (peer) peer_ = peer.value();
    place_ = shared_->places->enter(peer ? sourceOf(peer_) : std::string()).value();
    place_.offer(connection.handle());
    deadline_->wakeAfter(shared_->limits.firstTimeout);
}

std::size_t HttpConnection::parse(std::string_view bytes) {
    const std::size_t done = parser_.feed(bytes);
    return parser_.errorStatus() == 0 ? done : bytes.size();
}

void HttpConnection::parsed() {
    if (parser_.errorStatus() != 0) return refuse(parser_.errorStatus());
    if (auto request = parser_.take()) return take(std::move(*request));
    if (parser_.takeContinue()) send("HTTP/1.1 100 Continue\r\n\r\n");
    if (parser_.isInside() && !watched_) watch();
}

void HttpConnection::take(HttpRequest&& request) {
    deadline_->cancel();
    waits_ = true;
    ++request_;
    form_ = {request.keepAlive, request.method == "HEAD", {}};
    takesGzip_ = acceptsGzip(request);
    connection_->pauseReading();
    request.peer = peer_;
    const auto delay = shared_->routes.delayOf(request);
    if (!delay) return answer(request_, {429});
    if (delay->count() == 0) return serve(std::move(request));
    delayed_ = std::move(request);
    deadline_->wakeAfter(*delay);
}

void HttpConnection::serve(HttpRequest&& request) {
    place_.keep();
    HttpResponder responder(connection_->dispatcher().queue(), connection_->handle(), request_);
    shared_->routes.serve(std::move(request), std::move(responder));
}

void HttpConnection::answer(std::uint64_t request, HttpResponse response) {
    if (!waits_ || request != request_) return;
    waits_ = false;
    if (connection_->dispatcher().draining().options()) form_.keepAlive = false;
    send(std::move(response));
    if (!deadline_) return;  // it was more than may wait
    place_.offer(connection_->handle());
    if (!form_.keepAlive) return connection_->closeAfterFlush();
    watch();
    connection_->resumeReading();
}

void HttpConnection::refuse(int status) {
    form_ = {false, false, {}};
    send(HttpResponse{status});
    if (!deadline_) return;
    deadline_->cancel();
    connection_->closeAfterFlush();
}

void HttpConnection::send(std::string_view bytes) {
    static_cast<Stages::Connection*>(connection_)->send(nio::asBytes(bytes));
}

void HttpConnection::send(HttpResponse response) {
    shared_->routes.complete(response);
    compress(response, takesGzip_);
    form_.date = httpDate(std::chrono::system_clock::now());
    send(toWire(response, shared_->routes.headers(), form_));
}

void HttpConnection::watch() {
    watched_ = parser_.isInside();
    const HttpLimits& limits = shared_->limits;
    deadline_->wakeAfter(watched_ ? limits.requestTimeout : limits.idleTimeout);
}

void HttpConnection::timeIsUp() {
    if (delayed_) return serve(*std::exchange(delayed_, std::nullopt));
    watched_ ? refuse(408) : connection_->closeAfterFlush();
}

}  // namespace apps
