#include <nio/handlers/Server.h>

#include <csignal>
#include <stdexcept>

#include <nio/base/Log.h>

#include <nio/handlers/SignalHandler.h>

namespace nio {

Server::Server(ServerOptions options, HandlerFactory makeHandler)
    : drain_(options.drain), group_(std::move(options.group)) {
    const SocketAddress asked = SocketAddress::parse(options.address).orThrow();
    auto dealer = std::make_unique<ConnectionDealer>(group_, std::move(makeHandler));
    acceptor_ = Acceptor::open(asked, std::move(dealer), options.acceptor).orThrow();
    address_ = acceptor_->address();
}

void Server::start() {
    if (acceptor_ == nullptr) throw std::logic_error("a Server is started once");
    const auto onError = [this](const Error& error) {
        log(LogLevel::error, "cannot listen: " + error.message());
        requestStop();
    };
    // Refused only when it has been stopped already: then there is nothing to serve.
    (void)group_[0].registerChannelLater(std::move(acceptor_), Interest::accept, onError);
    acceptor_.reset();
    group_.start();
}

void Server::requestStop() {
    DrainOptions drain = drain_;
    if (stopRequested_.exchange(true)) drain.deadline = std::chrono::milliseconds::zero();
    group_.requestClose(drain);
}

DrainReport Server::wait() {
    group_.join();
    return group_.drainReport();
}

// Signals have a dispatcher of their own, so that a second one is heard while the first drains.
DrainReport Server::run() {
    SignalHandler::block({SIGINT, SIGTERM}).orThrow();
    SelectorThreadOptions controlOptions;
    controlOptions.name = "signals";
    SelectorThread control(std::move(controlOptions));
    auto signals = SignalHandler::open({SIGINT, SIGTERM}, [this](int) { requestStop(); });
    (void)control.registerChannelLater(std::move(signals).orThrow(), Interest::read);
    control.start();
    start();
    return wait();
}

}  // namespace nio
