// One client of an HttpServer: requests in, answers out in the same order.
//
// A request is answered before the next one is read: what is pipelined waits, unparsed. After an
// error (see HttpParser.h) the answer says so and the connection ends.
//
// Thread: the dispatcher's own, except makeHandler().
// Lifetime: that of its handler, see SelectorHandlers.h.
#pragma once

#include <optional>

#include <nio/connection/StreamHandler.h>

#include <nio-tls/Tls.h>
#include "common/Places.h"
#include "common/http/HttpParser.h"
#include "common/http/HttpRoutes.h"

namespace apps {

class HttpConnection {
  public:
    // What all connections of a server share.
    struct Shared {
        HttpRoutes routes;
        HttpLimits limits;
        std::shared_ptr<const nio::StreamOptions> stream;
        nio::TlsStage tls;
        std::shared_ptr<Places> places;
    };

    explicit HttpConnection(std::shared_ptr<const Shared> shared)
        : shared_(std::move(shared)), parser_(shared_->limits) {}

    static std::unique_ptr<nio::StreamHandler> makeHandler(nio::SocketChannel channel,
                                                           std::shared_ptr<const Shared> shared);
    // Null: it has gone.
    static HttpConnection* findNow(const nio::ChannelHandle& handle)
        NIO_REQUIRES(nio::onDispatcher);

    // For HttpResponder: nothing happens unless that request is the one that waits.
    void answer(std::uint64_t request, HttpResponse response) NIO_REQUIRES(nio::onDispatcher);

  private:
    struct Reading;
    struct Application;
    struct Stages;

    void opened(nio::StreamHandler& connection) NIO_REQUIRES(nio::onDispatcher);
    // Returns how much is done with; then parsed() acts on it.
    std::size_t parse(std::string_view bytes) NIO_REQUIRES(nio::onDispatcher);
    void parsed() NIO_REQUIRES(nio::onDispatcher);
    void take(HttpRequest&& request) NIO_REQUIRES(nio::onDispatcher);
    void serve(HttpRequest&& request) NIO_REQUIRES(nio::onDispatcher);
    void send(std::string_view bytes) NIO_REQUIRES(nio::onDispatcher);
    void send(HttpResponse response) NIO_REQUIRES(nio::onDispatcher);
    void refuse(int status) NIO_REQUIRES(nio::onDispatcher);
    void watch() NIO_REQUIRES(nio::onDispatcher);
    void timeIsUp() NIO_REQUIRES(nio::onDispatcher);

    const std::shared_ptr<const Shared> shared_;
    HttpParser parser_;
    nio::StreamHandler* connection_ = nullptr;
    nio::SocketAddress peer_;
    std::optional<nio::Deadline> deadline_;  // from the beginning to the end
    Places::Place place_;                    // offered while no answer is awaited
    std::uint64_t request_ = 0;
    // Waits until it is looked at; the connection may have to make room meanwhile.
    std::optional<HttpRequest> delayed_;
    bool waits_ = false;    // for an answer
    bool watched_ = false;  // the deadline is that of a request that has begun
    HttpWireForm form_;     // of the answer to come
    bool takesGzip_ = false;
};

}  // namespace apps
