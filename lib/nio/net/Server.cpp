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
      control_(forSignals(options.group.thread)),
      group_(watched(std::move(options.group))) {
    const auto* text = std::get_if<std::string>(&options.address);
    const SocketAddress asked = text == nullptr ? std::get<SocketAddress>(options.address)
                                                : SocketAddress::parse(*text).orThrow();
    auto dealer = std::make_unique<ConnectionDealer>(group_, std::move(makeHandler));
    acceptor_ = Acceptor::open(asked, std::move(dealer), options.acceptor).orThrow();
    address_ = acceptor_->address();
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
    postAcceptor();
    group_.start();
}

void Server::postAcceptor() {
    if (acceptor_ == nullptr) throw std::logic_error("a Server is started once");
    post(group_[0], std::exchange(acceptor_, nullptr), Interest::accept);
}

// Without a listener it is of no use, and deaf to SIGTERM it could not be ended.
template <class H>
void Server::post(SelectorThread& thread, std::unique_ptr<H> handler, Interest interest) {
    const auto onError = [this](const Error& error) { failed(error); };
    const bool posted = thread.registerChannelLater(std::move(handler), interest, onError);
    if (!posted && !thread.isStopped()) Error(std::errc::not_enough_memory, "start").raise();
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
    return group_.size() == 1 ? runHere(ready) : runOnThreads(ready);
}

std::unique_ptr<SignalHandler> Server::listenForSignals() {
    auto signals = SignalHandler::open({SIGINT, SIGTERM}, [this](int) { requestStop(); });
    return std::move(signals).orThrow();
}

DrainReport Server::runHere(const std::function<void()>& ready) {
    post(group_[0], listenForSignals(), Interest::read);
    postAcceptor();
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
