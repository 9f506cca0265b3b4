#include <nio/net/Takeover.h>

#include <algorithm>
#include <array>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include <nio/net/Acceptor.h>
#include <nio/net/Watch.h>
#include <nio/sys/Clock.h>
#include <nio/sys/handover/Handover.h>

namespace nio {

namespace {

constexpr std::array<Byte, 1> offer{Byte{'L'}};  // comes with the listeners
constexpr std::array<Byte, 1> ready{Byte{'R'}};  // the answer: the successor serves

}  // namespace

// What a successor is offered. Thread: any.
class Takeover::Listeners {
    static auto isAt(const SocketAddress& address) {
        return [&address](const ServerSocketChannel& each) {
            const auto its = each.localAddress();
            return its && its.value() == address;
        };
    }

  public:
    // Empty: there is none at this address.
    UniqueFd copyOf(const SocketAddress& address) {
        const std::lock_guard lock(mutex_);
        const auto found = std::ranges::find_if(all_, isAt(address));
        return found == all_.end() ? UniqueFd() : kernel::duplicate(found->fd()).orThrow();
    }
    UniqueFd add(ServerSocketChannel listener) {
        const std::lock_guard lock(mutex_);
        all_.push_back(std::move(listener));
        return kernel::duplicate(all_.back().fd()).orThrow();
    }
    void remove(const SocketAddress& address) {
        const std::lock_guard lock(mutex_);
        std::erase_if(all_, isAt(address));
    }
    void clear() {
        const std::lock_guard lock(mutex_);
        all_.clear();
    }
    // Behind `door`.
    IoResult sendBy(int fd, const ServerSocketChannel& door) {
        const std::lock_guard lock(mutex_);
        std::vector<int> descriptors{door.fd()};
        for (const ServerSocketChannel& each : all_) descriptors.push_back(each.fd());
        return kernel::sendDescriptors(fd, offer, descriptors);
    }
    void ownFiles() {
        const std::lock_guard lock(mutex_);
        for (ServerSocketChannel& each : all_) each.ownFile();
    }
    void leaveFiles() {
        const std::lock_guard lock(mutex_);
        for (ServerSocketChannel& each : all_) each.leaveFile();
    }

  private:
    std::mutex mutex_;
    std::list<ServerSocketChannel> all_;
};

// Gives copies of the listeners to one that asks, and waits for its answer.
class Takeover::Successors final : public AcceptorListener {
  public:
    Successors(std::shared_ptr<Listeners> listeners, Relieved relieved)
        : listeners_(std::move(listeners)), relieved_(std::move(relieved)) {}
    // Also in a drain.
    ~Successors() override { listeners_->clear(); }

    void socketConnected(Acceptor& acceptor, AcceptedConnection connection) override
        NIO_REQUIRES(onDispatcher) {
        if (asking_) answered(acceptor);  // it may have ended in this turn
        if (asking_ || !relieved_) {
            return acceptor.complain("another process asks for the listeners already");
        }
        const int fd = connection.channel.fd();
        // It is off at once in a drain: one that could not be heard gets nothing.
        Watch answer = watch(acceptor.dispatcher(), fd, Interest::read, [this, &acceptor] {
                           onDispatcher.assumeCurrent();
                           answered(acceptor);
                       }).orThrow();
        if (!answer.isOn()) return;
        const IoResult sent = listeners_->sendBy(fd, acceptor.channel());
        if (!sent.isDone()) return acceptor.complain(sent.error().message().c_str());
        answer_ = std::move(answer);
        asking_.emplace(std::move(connection));
        leaveFiles(acceptor);
    }

    void ownFiles(Acceptor& acceptor) {
        listeners_->ownFiles();
        acceptor.channel().ownFile();
    }
    void leaveFiles(Acceptor& acceptor) {
        listeners_->leaveFiles();
        acceptor.channel().leaveFile();
    }

  private:
    void answered(Acceptor& acceptor) NIO_REQUIRES(onDispatcher) {
        std::array<Byte, 1> byte{};
        const IoResult received = kernel::receive(asking_->channel.fd(), byte);
        if (received.status == IoStatus::wouldBlock) return;
        answer_.unwatch();
        AcceptedConnection successor = std::move(*asking_);
        asking_.reset();
        if (!received.isDone() || byte != ready) {
            ownFiles(acceptor);
            return acceptor.complain("the process that asked for the listeners has not started");
        }
        std::exchange(relieved_, {})(std::move(successor.channel));
    }

    const std::shared_ptr<Listeners> listeners_;
    Relieved relieved_;  // empty once called
    std::optional<AcceptedConnection> asking_;
    Watch answer_;
};

namespace {

void awaitInput(int fd, TimePoint end, const std::string& context) {
    pollfd entry{fd, POLLIN, 0};
    const auto left = std::max(end - Clock::now(), Clock::duration::zero());
    if (kernel::waitPoll({&entry, 1}, left).orThrow() == 0) {
        Error(std::errc::timed_out, context).raise();
    }
}

}  // namespace

Takeover::Takeover(const std::string& path, std::chrono::milliseconds limit)
    : path_(SocketAddress::unixPath(path).orThrow()), listeners_(std::make_shared<Listeners>()) {
    const TimePoint end = Clock::after(limit);
    const std::string context = "takeover at " + path_.toString();
    if (path_.path().empty()) Error(std::errc::invalid_argument, context).raise();
    UniqueFd asking = kernel::openStreamSocket(SocketAddress::Family::unix_).orThrow();
    const IoResult connected = kernel::connect(asking.get(), path_);
    const bool isAbsent = connected.code == std::errc::connection_refused ||
                          connected.code == std::errc::no_such_file_or_directory;
    if (isAbsent) return;
    if (connected.isFailed()) connected.error(context).raise();
    awaitInput(asking.get(), end, context);
    std::array<Byte, 1> byte{};
    kernel::ReceivedDescriptors received = kernel::receiveDescriptors(asking.get(), byte);
    if (received.result.isFailed()) received.result.error(context).raise();
    if (byte != offer || received.descriptors.empty()) {
        Error(std::errc::connection_reset, context).raise();
    }
    predecessor_ = std::move(asking);
    offered_ = std::move(received.descriptors);
}

ServerSocketChannel Takeover::open(const SocketAddress& address, const ListenOptions& options) {
    const auto found = std::ranges::find_if(offered_, [&](const UniqueFd& each) {
        const auto its = kernel::localAddress(each.get());
        return its && its.value() == address;
    });
    if (found == offered_.end()) return ServerSocketChannel::open(address, options).orThrow();
    UniqueFd taken = std::move(*found);
    offered_.erase(found);
    return ServerSocketChannel::adopt(std::move(taken), options).orThrow();
}

UniqueFd Takeover::listen(const SocketAddress& address, const ListenOptions& options) {
    UniqueFd known = listeners_->copyOf(address);
    return known ? std::move(known) : listeners_->add(open(address, options));
}

void Takeover::forget(const SocketAddress& address) {
    listeners_->remove(address);
}

void Takeover::relieve(std::chrono::milliseconds limit) {
    if (!hasPredecessor()) return;
    const TimePoint end = Clock::after(limit);
    (void)kernel::send(predecessor_.get(), ready);  // one that is gone has released everything
    awaitInput(predecessor_.get(), end, "drain of the predecessor at " + path_.toString());
}

void Takeover::serve(SelectorThread& dispatcher, Relieved relieved) {
    ListenOptions onlyOwner;
    onlyOwner.fileMode = 0600;
    ServerSocketChannel door = open(path_, onlyOwner);
    auto listener = std::make_unique<Successors>(listeners_, std::move(relieved));
    Successors& successors = *listener;
    auto acceptor = Acceptor::open(std::move(door), std::move(listener)).orThrow();
    if (hasPredecessor()) successors.ownFiles(*acceptor);
    const auto posted = dispatcher.registerChannelLater(std::move(acceptor), Interest::accept);
    if (!posted) {
        if (hasPredecessor()) successors.leaveFiles(*acceptor);
        Error(posted.error().code(), path_.toString()).raise();
    }
    offered_.clear();
    // One that is gone needs no answer.
    if (hasPredecessor()) (void)kernel::send(predecessor_.get(), ready);
    predecessor_.reset();
}

}  // namespace nio
