#include "common/http/HttpConnection.h"

#include <utility>

#include <nio/loop/SelectorThread.h>

#include "common/Endpoint.h"

namespace apps {

HttpConnection::HttpConnection(nio::SocketChannel channel, std::shared_ptr<const Shared> shared)
    : StreamHandler(std::move(channel), shared->stream),
      shared_(std::move(shared)),
      parser_(shared_->limits) {}

void HttpConnection::connectionOpened() {
    deadline_.emplace(dispatcher().deadlines(), [this] {
        nio::onDispatcher.assertCurrent();
        timeIsUp();
    });
    const auto peer = channel().peerAddress();
    place_ = shared_->places->enter(peer ? sourceOf(peer.value()) : std::string()).value();
    place_.offer(handle());
    deadline_->wakeAfter(shared_->limits.firstTimeout);
}

void HttpConnection::connectionClosed(const std::optional<nio::Error>&) {
    deadline_.reset();
}

void HttpConnection::bytesArrived(nio::ByteView bytes) {
    const std::string_view text = nio::asText(bytes);
    if (!kept_.empty()) {
        kept_ += text;
        return inputRevisited();
    }
    kept_ = text.substr(consume(text));
}

void HttpConnection::inputRevisited() {
    kept_.erase(0, consume(kept_));
    if (kept_.empty()) kept_.shrink_to_fit();
}

std::size_t HttpConnection::consume(std::string_view bytes) {
    if (isOutputHigh()) revisitInput();
    const std::size_t done = mayDeliver() && !isOutputHigh() ? parser_.feed(bytes) : 0;
    if (parser_.errorStatus() != 0) {
        refuse(parser_.errorStatus());
        return bytes.size();
    }
    if (auto request = parser_.take()) {
        take(std::move(*request));
        return done;
    }
    if (parser_.takeContinue()) StreamHandler::send(nio::asBytes("HTTP/1.1 100 Continue\r\n\r\n"));
    if (parser_.isInside() && !watched_) watch();
    return done;
}

void HttpConnection::take(HttpRequest request) {
    deadline_->cancel();
    waits_ = true;
    ++request_;
    form_ = {request.keepAlive, request.method == "HEAD"};
    pauseReading();
    if (const auto peer = channel().peerAddress()) request.peer = peer.value();
    const auto delay = shared_->routes.delayOf(request);
    if (!delay) return answer(request_, HttpResponse::plain(429));
    if (delay->count() == 0) return serve(std::move(request));
    delayed_ = std::move(request);
    deadline_->wakeAfter(*delay);
}

void HttpConnection::serve(HttpRequest request) {
    place_.keep();
    HttpResponder responder(dispatcher().queue(), handle(), request_);
    shared_->routes.serve(std::move(request), std::move(responder));
}

void HttpConnection::answer(std::uint64_t request, const HttpResponse& response) {
    if (!waits_ || request != request_) return;
    waits_ = false;
    if (dispatcher().draining().options()) form_.keepAlive = false;
    send(response);
    if (!deadline_) return;  // it was more than may wait
    place_.offer(handle());
    if (!form_.keepAlive) return closeAfterFlush();
    watch();
    resumeReading();
}

void HttpConnection::refuse(int status) {
    form_ = {false, false};
    send(HttpResponse::plain(status));
    if (!deadline_) return;
    deadline_->cancel();
    closeAfterFlush();
}

void HttpConnection::send(const HttpResponse& response) {
    StreamHandler::send(nio::asBytes(toWire(response, shared_->routes.headers(), form_)));
}

void HttpConnection::watch() {
    watched_ = parser_.isInside();
    const HttpLimits& limits = shared_->limits;
    deadline_->wakeAfter(watched_ ? limits.requestTimeout : limits.idleTimeout);
}

void HttpConnection::timeIsUp() {
    if (delayed_) return serve(*std::exchange(delayed_, std::nullopt));
    watched_ ? refuse(408) : closeAfterFlush();
}

}  // namespace apps
