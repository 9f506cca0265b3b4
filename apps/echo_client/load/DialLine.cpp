#include "echo_client/load/DialLine.h"

#include <utility>

namespace load {

namespace {

constexpr std::chrono::milliseconds backlogPause{5};

}  // namespace

DialLine::DialLine(nio::SelectorThread& thread, DialLineListener& listener,
                   std::chrono::seconds keepAlive, std::chrono::milliseconds timeout)
    : thread_(thread),
      listener_(listener),
      keepAlive_(keepAlive),
      timeout_(timeout),
      retry_(thread.deadlines(), [this] {
          nio::onDispatcher.assertCurrent();
          connector_->connectNow(*server_);
      }) {}

void DialLine::dial(std::size_t connection, const nio::SocketAddress& server,
                    std::optional<nio::SocketAddress> source) {
    connection_ = connection;
    server_ = &server;
    begun_ = nio::Clock::now();
    nio::ConnectorOptions options;
    options.timeout = timeout_;
    options.source = source;
    options.keepAlive = keepAlive_;
    nio::ConnectorListener& listener = *this;
    connector_.emplace(thread_, listener, options);
    connector_->connectNow(server);
}

void DialLine::connectionEstablished(nio::Connector&, nio::SocketChannel channel) {
    listener_.lineDialed(*this, std::move(channel), nio::Clock::now() - begun_);
}

void DialLine::connectionFailed(nio::Connector&, const nio::Error& error) {
    const bool backlogFull = error.is(std::errc::resource_unavailable_try_again);
    if (backlogFull && nio::Clock::now() - begun_ < timeout_) {
        return retry_.wakeAfter(backlogPause);
    }
    listener_.lineFailed(*this, error);
}

}  // namespace load
