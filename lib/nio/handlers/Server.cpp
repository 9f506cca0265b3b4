#include <nio/handlers/Server.h>

#include <csignal>
#include <stdexcept>

#include <nio/base/Log.h>

namespace nio {

Server::Server(ServerOptions options, HandlerFactory makeHandler)
    : drain_(options.drain), group_(std::move(options.group)) {
    const SocketAddress asked = SocketAddress::parse(options.address).orThrow();
    auto dealer = std::make_unique<ConnectionDealer>(group_, std::move(makeHandler));
    acceptor_ = Acceptor::open(asked, std::move(dealer), options.acceptor).orThrow();
    address_ = acceptor_->address();
}

void Server::start() {
    postAcceptor();
    group_.start();
}

void Server::postAcceptor() {
    if (acceptor_ == nullptr) throw std::logic_error("a Server is started once");
    const auto onError = [this](const Error& error) {
        log(LogLevel::error, "cannot listen: " + error.message());
        requestStop();
    };
    // Refused only when it has been stopped already: then there is nothing to serve.
    (void)group_[0].registerChannelLater(std::move(acceptor_), Interest::accept, onError);
    acceptor_.reset();
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

DrainReport Server::run() {
    SignalHandler::block({SIGINT, SIGTERM}).orThrow();
    return group_.size() == 1 ? runHere() : runOnThreads();
}

std::unique_ptr<SignalHandler> Server::listenForSignals() {
    auto signals = SignalHandler::open({SIGINT, SIGTERM}, [this](int) { requestStop(); });
    return std::move(signals).orThrow();
}

DrainReport Server::runHere() {
    (void)group_[0].registerChannelLater(listenForSignals(), Interest::read);
    postAcceptor();
    group_[0].run();
    return group_.drainReport();
}

// Signals have a dispatcher of their own: a second one is heard while any of the others drains.
DrainReport Server::runOnThreads() {
    SelectorThreadOptions controlOptions;
    controlOptions.name = "signals";
    SelectorThread control(std::move(controlOptions));
    (void)control.registerChannelLater(listenForSignals(), Interest::read);
    control.start();
    start();
    return wait();
}

}  // namespace nio
