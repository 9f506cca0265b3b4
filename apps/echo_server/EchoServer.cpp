#include "echo_server/EchoServer.h"

#include "echo_server/PacketEcho.h"
#include "echo_server/RawEcho.h"

namespace echo {

namespace {

nio::SelectorThreadGroupOptions groupOptions(const EchoServerOptions& options) {
    nio::SelectorThreadGroupOptions group;
    group.threads = options.threads;
    group.thread.name = "echo";
    group.thread.selector.kind = options.selector;
    return group;
}

std::shared_ptr<const nio::StreamOptions> streamOptions(const EchoServerOptions& options) {
    auto stream = std::make_shared<nio::StreamOptions>();
    stream->idleTimeout = options.idleTimeout;
    return stream;
}

}  // namespace

EchoServer::EchoServer(const EchoServerOptions& options)
    : options_(options),
      streamOptions_(streamOptions(options)),
      packetEcho_(std::make_shared<PacketEcho>(options.verbose ? &log_ : nullptr)),
      group_(groupOptions(options)) {}

nio::Result<nio::SocketAddress> EchoServer::listen(const nio::SocketAddress& address) {
    nio::AcceptorOptions acceptorOptions;
    acceptorOptions.maxConnections = options_.maxConnections;
    acceptorOptions.listen.fileMode = options_.unixMode;
    auto dealer = std::make_unique<nio::ConnectionDealer>(
        group_, [this](nio::AcceptedConnection connection) {
            return makeHandler(std::move(connection));
        });
    auto opened = nio::Acceptor::open(address, std::move(dealer), acceptorOptions);
    if (!opened) return opened.error();
    std::unique_ptr<nio::Acceptor> acceptor = std::move(opened).value();
    const nio::SocketAddress listening = acceptor->address();
    group_.start();
    auto registered = group_[0].invokeAndWait([&] {
        nio::onDispatcher.assertCurrent();
        return group_[0].registerChannelNow(std::move(acceptor), nio::Interest::accept);
    });
    if (!registered) return registered.error();
    if (!registered.value()) return registered.value().error();
    return listening;
}

std::unique_ptr<nio::ReadWriteSelectorHandler> EchoServer::makeHandler(
    nio::AcceptedConnection connection) {
    std::unique_ptr<nio::StreamHandler> handler;
    if (options_.framing == apps::Framing::raw) {
        handler = std::make_unique<RawEcho>(std::move(connection.channel), streamOptions_,
                                            options_.verbose ? &log_ : nullptr);
    } else {
        handler = std::make_unique<nio::PacketChannel>(std::move(connection.channel),
                                                       apps::makeDecoder(options_.framing),
                                                       packetEcho_, streamOptions_);
    }
    handler->keep(std::move(connection.permit));
    return handler;
}

void EchoServer::requestStop() {
    nio::DrainOptions drain;
    drain.deadline = options_.drainTimeout;
    if (std::exchange(stopRequested_, true)) drain.deadline = std::chrono::milliseconds::zero();
    group_.requestClose(drain);
}

nio::DrainReport EchoServer::wait() {
    group_.join();
    return group_.drainReport();
}

}  // namespace echo
