#include <nio/net/Server.h>

#include <csignal>
#include <new>
#include <stdexcept>
#include <utility>

namespace nio {

namespace {

SelectorThreadOptions forSignals(const SelectorThreadOptions& others) {
    SelectorThreadOptions options;
    options.name = "signals";
    options.selector.kind = others.selector.kind;
    options.openSelector = others.openSelector;
    options.stallLimit = others.stallLimit;
    options.onStall = others.onStall;
    options.flightRecords = others.flightRecords;
    options.onFailure = others.onFailure;
    options.onMisuse = others.onMisuse;
    return options;
}

}  // namespace

Server::Server(ServerOptions options, HandlerFactory makeHandler)
    : drain_(options.drain),
      acceptor_(std::move(options.acceptor)),
      control_(forSignals(options.group.thread)),
      group_(watched(std::move(options.group))) {
    if (group_.listensEverywhere()) acceptor_.listen.reusePort = true;
    listen(std::move(options.address), std::move(makeHandler));
}

void Server::listen(ListenAddress address, HandlerFactory makeHandler) {
    if (isStarted_) throw std::logic_error("listen() comes before start()");
    auto* inherited = std::get_if<UniqueFd>(&address);
    const auto* text = std::get_if<std::string>(&address);
    const auto asked = [&] {
        return text != nullptr ? SocketAddress::parse(*text).orThrow()
                               : std::get<SocketAddress>(address);
    };
    auto opened = inherited != nullptr
                      ? ServerSocketChannel::adopt(std::move(*inherited), acceptor_.listen)
                      : ServerSocketChannel::open(asked(), acceptor_.listen);
    ServerSocketChannel channel = std::move(opened).orThrow();
    addresses_.push_back(channel.localAddress().orThrow());
    if (group_.listensEverywhere()) {
        const bool cannot = inherited != nullptr || addresses_.back().isUnix();
        if (cannot || group_.hasAcceptorThread()) {
            Error(std::errc::invalid_argument,
                  "ReusePort needs a TCP address and no acceptorThread: " +
                      addresses_.back().toString())
                .raise();
        }
        listenEverywhere(std::move(channel), makeHandler);
    } else {
        accept(std::move(channel), group_.acceptor(), makeHandler);
    }
}

void Server::listenEverywhere(ServerSocketChannel first, const HandlerFactory& makeHandler) {
    for (std::size_t i = 0; i < group_.size(); ++i) {
        auto channel = i == 0 ? Result<ServerSocketChannel>(std::move(first))
                              : ServerSocketChannel::open(addresses_.back(), acceptor_.listen);
        accept(std::move(channel).orThrow(), group_[i], makeHandler);
    }
}

void Server::accept(ServerSocketChannel channel, SelectorThread& thread,
                    const HandlerFactory& makeHandler) {
    auto dealer = std::make_unique<ConnectionDealer>(group_, makeHandler);
    acceptors_.push_back(
        {&thread, Acceptor::open(std::move(channel), std::move(dealer), acceptor_).orThrow()});
    acceptor_.gate = acceptors_.front().acceptor->gate();
}

// Without one of them it serves some only, or accepts nobody.
SelectorThreadGroupOptions Server::watched(SelectorThreadGroupOptions options) {
    options.thread.onGivingUp = [this, alsoTold =
                                           std::move(options.thread.onGivingUp)](const Error& why) {
        failed(why);
        if (alsoTold) alsoTold(why);
    };
    return options;
}

void Server::start() {
    postAcceptors();
    group_.start();
}

void Server::postAcceptors() {
    if (std::exchange(isStarted_, true)) throw std::logic_error("a Server is started once");
    for (Listening& each : std::exchange(acceptors_, {})) {
        post(*each.thread, std::move(each.acceptor), Interest::accept);
    }
}

// Without a listener it is of no use, and deaf to SIGTERM it could not be ended.
template <class H>
void Server::post(SelectorThread& thread, std::unique_ptr<H> handler, Interest interest) {
    const auto onError = [this](const Error& error) { failed(error); };
    const auto posted = thread.registerChannelLater(std::move(handler), interest, onError);
    if (!posted && !posted.error().is(Errc::stopped)) Error(posted.error().code(), "start").raise();
}

// One that is stopped before it has begun has nothing to serve. A drain that goes on is not cut
// short by this.
void Server::failed(const Error& error) {
    if (!error.is(Errc::stopped)) remember(error);
    if (!stopRequested_.exchange(true)) group_.requestClose(drain_);
}

// The context is left out rather than all of it, where there is no memory.
void Server::remember(const Error& error) noexcept {
    std::lock_guard lock(failureMutex_);
    if (failure_) return;
    try {
        failure_ = error;
    } catch (const std::bad_alloc&) {
        failure_.emplace(error.code());
    }
}

void Server::requestStop() {
    DrainOptions drain = drain_;
    if (stopRequested_.exchange(true)) drain.deadline = std::chrono::milliseconds::zero();
    group_.requestClose(drain);
}

DrainReport Server::wait() {
    group_.join();
    return report();
}

DrainReport Server::report() {
    std::lock_guard lock(failureMutex_);
    if (failure_) failure_->raise();
    return group_.drainReport();
}

DrainReport Server::run(const std::function<void()>& ready) {
    SignalHandler::block({SIGINT, SIGTERM}).orThrow();
    const bool isOne = group_.size() == 1 && !group_.hasAcceptorThread();
    return isOne ? runHere(ready) : runOnThreads(ready);
}

std::unique_ptr<SignalHandler> Server::listenForSignals() {
    auto signals = SignalHandler::open({SIGINT, SIGTERM}, [this](int) { requestStop(); });
    return std::move(signals).orThrow();
}

DrainReport Server::runHere(const std::function<void()>& ready) {
    post(group_[0], listenForSignals(), Interest::read);
    postAcceptors();
    if (ready) ready();
    group_[0].run();
    return report();
}

// Signals have a dispatcher of their own: a second one is heard while any of the others drains.
DrainReport Server::runOnThreads(const std::function<void()>& ready) {
    SelectorThreadOptions controlOptions = control_;
    controlOptions.onGivingUp = [this](const Error& why) { failed(why); };
    SelectorThread control(std::move(controlOptions));
    post(control, listenForSignals(), Interest::read);
    control.start();
    start();
    if (ready) ready();
    return wait();
}

}  // namespace nio
