#include <nio/net/Connector.h>

#include <algorithm>
#include <new>

namespace nio {

// One connect to one address, owned by its key; the Connector refers to it only by its handle.
class Connector::Attempt final : public ConnectSelectorHandler {
  public:
    Attempt(Connector& owner, SocketChannel channel)
        : owner_(&owner), channel_(std::move(channel)) {}

    SelectableChannel& channel() override { return channel_; }
    SocketChannel& socket() { return channel_; }

    void handleConnect() override NIO_REQUIRES(onDispatcher) {
        const IoResult outcome = channel_.connectOutcome();
        if (outcome.isDone()) {
            return std::exchange(owner_, nullptr)->attemptDone(std::move(channel_));
        }
        owner_->attemptFailed(outcome.error("connect"));
    }
    void handleDrain(const DrainOptions&) override NIO_REQUIRES(onDispatcher) { giveUp(); }
    void handleAbort() override NIO_REQUIRES(onDispatcher) { giveUp(); }

    void handleFailure(std::exception_ptr) override NIO_REQUIRES(onDispatcher) {
        if (owner_ != nullptr) owner_->attemptFailed(Error(std::errc::io_error, "connect"));
    }

  private:
    // After the channel was handed over, its new owner handles its end.
    void giveUp() NIO_REQUIRES(onDispatcher) {
        if (owner_ != nullptr) owner_->fail(Error(Errc::stopped, "connect"));
    }

    Connector* owner_;  // null once the channel is handed over
    SocketChannel channel_;
};

struct Connector::Operation {
    Operation(Connector& connector, TimePoint latest)
        : end(latest), deadline(connector.thread_.deadlines(), [&connector] {
              onDispatcher.assertCurrent();
              connector.timeIsUp();
          }) {}

    TimePoint end;
    Deadline deadline;  // of the address being tried, or of the next step
    std::vector<SocketAddress> addresses{};
    std::size_t next = 0;
    ChannelHandle attempt{};
    Error lastError{Errc::timedOut, "connect"};
};

Connector::Connector(SelectorThread& thread, ConnectorListener& listener, ConnectorOptions options)
    : thread_(thread), listener_(listener), options_(std::move(options)) {}

// A stopped dispatcher has nothing left to cancel.
Connector::~Connector() {
    if (operation_ == nullptr || thread_.isStopped()) return;
    thread_.identity().assertCurrent("~Connector");
    cancelNow();
}

Connector::Operation& Connector::begin() {
    thread_.identity().assertCurrent("connectNow");
    cancelNow();
    operation_ = std::make_shared<Operation>(*this, Clock::after(options_.timeout));
    return *operation_;
}

// The first step is taken in the next turn, so that connectNow() never calls the listener.
void Connector::connectNow(const SocketAddress& address) {
    connectNow(std::vector{address});
}

void Connector::connectNow(std::vector<SocketAddress> addresses) {
    Operation& operation = begin();
    orGiveUp([&] {
        onDispatcher.assertCurrent();
        if (addresses.empty())
            operation.lastError = Error(Errc::badAddress, "connect: no address given");
        operation.addresses = std::move(addresses);
        operation.deadline.wakeAfter(Clock::duration::zero());
    });
}

void Connector::connectNow(const std::string& host, std::uint16_t port) {
    const Result<SocketAddress> numeric = SocketAddress::numeric(host, port);
    if (numeric) return connectNow(numeric.value());
    Operation& operation = begin();
    if (options_.resolver == nullptr) {
        orGiveUp([&] {
            onDispatcher.assertCurrent();
            operation.lastError = Error(Errc::notSupported, "lookup of " + host);
            operation.deadline.wakeAfter(Clock::duration::zero());
        });
        return;
    }
    const std::weak_ptr<Operation> asked = operation_;
    auto lookedUp = [this, asked](auto found) {
        onDispatcher.assertCurrent();
        // Nothing else owns the operation meanwhile: tryNext() must detect its cancellation.
        if (asked.expired()) return;
        if (!found) return fail(found.error());
        operation_->addresses = std::move(found).value();
        tryNext();
    };
    orGiveUp([&] {
        onDispatcher.assertCurrent();
        operation.lastError = Error(Errc::timedOut, "lookup of " + host);
        operation.deadline.wakeAt(operation.end);
        options_.resolver->resolve(host, port, std::move(lookedUp), asked);
    });
}

// If it throws, no connect was started.
template <class Step>
void Connector::orGiveUp(Step&& step) {
    try {
        step();
    } catch (...) {
        operation_.reset();
        throw;
    }
}

void Connector::cancelNow() {
    if (operation_ == nullptr) return;
    dropAttempt();
    operation_.reset();
}

void Connector::timeIsUp() {
    const bool waited = operation_->attempt != ChannelHandle();
    const bool over = Clock::now() >= operation_->end;
    if (waited) blame(Errc::timedOut);
    over ? fail(std::move(operation_->lastError)) : tryNext();
}

// Running out of memory fails this connect; an exception of the listener is passed on.
void Connector::tryNext() {
    const std::weak_ptr<Operation> tried = operation_;
    try {
        tryTheRest();
    } catch (const std::bad_alloc&) {
        if (tried.expired()) throw;
        fail(std::errc::not_enough_memory);
    }
}

void Connector::tryTheRest() {
    dropAttempt();
    // A channel registered now would be closed at once.
    if (thread_.draining().options()) return fail(Error(Errc::stopped, "connect"));
    while (operation_->next < operation_->addresses.size()) {
        const SocketAddress address = operation_->addresses[operation_->next++];
        const Result<void> tried = tryAddress(address);
        if (tried) return;
        operation_->lastError = tried.error();
    }
    fail(std::move(operation_->lastError));
}

Result<void> Connector::tryAddress(const SocketAddress& address) {
    Result<SocketChannel> channel = SocketChannel::open(address.family());
    if (!channel) return channel.error();
    if (options_.source) {
        Result<void> bound = kernel::bindSource(channel.value().fd(), *options_.source);
        if (!bound) return bound;
    }
    if (options_.keepAlive.count() != 0) {
        Result<void> set = kernel::setKeepAlive(channel.value().fd(), options_.keepAlive);
        if (!set) return set;
    }
    auto attempt = std::make_unique<Attempt>(*this, std::move(channel).value());
    SocketChannel& socket = attempt->socket();
    Result<ChannelHandle> registered =
        thread_.registerChannelNow(std::move(attempt), Interest::connect);
    if (!registered) return registered.error();
    operation_->attempt = registered.value();
    const IoResult connecting = socket.connect(address);
    if (connecting.isFailed()) {
        dropAttempt();
        return connecting.error("connect to " + address.toString());
    }
    const std::size_t left = operation_->addresses.size() - operation_->next + 1;
    const auto share = (operation_->end - Clock::now()) / static_cast<long>(left);
    operation_->deadline.wakeAfter(std::max(share, Clock::duration::zero()));
    return {};
}

void Connector::attemptFailed(const Error& error) {
    blame(error.code());
    tryNext();
}

void Connector::blame(std::error_code code) {
    try {
        const SocketAddress& address = operation_->addresses[operation_->next - 1];
        operation_->lastError = Error(code, "connect to " + address.toString());
    } catch (const std::bad_alloc&) {
        operation_->lastError = code;
    }
}

void Connector::attemptDone(SocketChannel channel) {
    operation_.reset();
    listener_.connectionEstablished(*this, std::move(channel));
}

void Connector::dropAttempt() {
    SelectorHandler* attempt = thread_.findNow(operation_->attempt);
    operation_->deadline.cancel();
    operation_->attempt = ChannelHandle();
    if (attempt != nullptr) attempt->channel().close();
}

void Connector::fail(Error reason) {
    dropAttempt();
    operation_.reset();
    listener_.connectionFailed(*this, reason);
}

}  // namespace nio
