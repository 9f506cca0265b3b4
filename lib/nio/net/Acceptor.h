// Accepts connections and hands them to its listener.
//
// Limits:
// - accepts per turn: one batch, after which batchEnded() is called;
// - open connections: at the limit further ones wait in the backlog until one is closed;
// - memory budget: while it is exceeded new connections are accepted and closed at once, except
//   in a drain;
// - file descriptors: if none is left, it uses its reserve descriptor to refuse one connection,
//   logs at most one line per second, and pauses for `backOff` instead of spinning.
// Drain: accepts the connections in the backlog (with DrainOptions::leavesListeners none), then
// closes. The Acceptor controls its own interest: changes by others are undone.
//
// Thread: open() any; the rest the dispatcher's own.
// Errors: an exception from socketConnected closes the accepted connection; the Acceptor stays.
// Source: ONJava article 2004, Acceptor and AcceptorListener.
#pragma once

#include <chrono>
#include <memory>
#include <optional>

#include <nio/channel/ServerSocketChannel.h>
#include <nio/channel/SocketChannel.h>
#include <nio/connection/ConnectionPermit.h>
#include <nio/loop/SelectorThread.h>
#include <nio/sys/LogLimiter.h>
#include <nio/timers/ReservedDeadline.h>

namespace nio {

class Acceptor;

struct AcceptedConnection {
    SocketChannel channel;
    // Keep it as long as the connection is open.
    ConnectionPermit permit;
};

class AcceptorListener {
  public:
    virtual ~AcceptorListener() = default;
    virtual void socketConnected(Acceptor& acceptor, AcceptedConnection connection)
        NIO_REQUIRES(onDispatcher) = 0;
    // The end of a batch: the backlog is empty, or a limit was reached. Also called after an
    // exception from socketConnected, and before a draining Acceptor closes.
    virtual void batchEnded(Acceptor&) NIO_REQUIRES(onDispatcher) {}
    // accept() failed; the Acceptor continues. Logged by default, see Acceptor::complain().
    virtual void socketError(Acceptor& acceptor, const Error& error) NIO_REQUIRES(onDispatcher);
};

struct AcceptorOptions {
    ListenOptions listen{};
    std::size_t maxAcceptsPerTurn = 256;
    // 0: the limit of file descriptors, less a few for the program itself. With the selector
    // select never more than 960: FD_SETSIZE less these few.
    std::size_t maxConnections = 0;
    // Shares the gate of another Acceptor, whose maximum then limits both together. Null: its own.
    std::shared_ptr<ConnectionGate> gate{};
    // How long accepting pauses when file descriptors have run out. Must be above 0.
    std::chrono::milliseconds backOff{100};
};

class Acceptor final : public AcceptSelectorHandler {
  public:
    // Bound and listening, not yet registered.
    static Result<std::unique_ptr<Acceptor>> open(const SocketAddress& address,
                                                  std::unique_ptr<AcceptorListener> listener,
                                                  const AcceptorOptions& options = {});
    // On a channel that listens already, an adopted one say; options.listen is the channel's.
    static Result<std::unique_ptr<Acceptor>> open(ServerSocketChannel channel,
                                                  std::unique_ptr<AcceptorListener> listener,
                                                  const AcceptorOptions& options = {});

    ServerSocketChannel& channel() override { return channel_; }
    // With the port that the system chose. Thread: any, before registration.
    const SocketAddress& address() const { return address_; }
    std::size_t openConnections() const { return gate_->open(); }
    // Its maximum may be changed. Thread: any.
    const std::shared_ptr<ConnectionGate>& gate() const { return gate_; }
    std::size_t turnedAway() const { return turnedAway_; }
    std::size_t refused() const { return refused_; }
    // Logs "accept on ADDRESS: line", once a second at most.
    void complain(const char* line) NIO_REQUIRES(onDispatcher);

    void handleRegistered() override NIO_REQUIRES(onDispatcher);
    void handleAccept() override NIO_REQUIRES(onDispatcher);
    void handleDrain(const DrainOptions&) override NIO_REQUIRES(onDispatcher);
    void handleRevisit() override NIO_REQUIRES(onDispatcher) { acceptWhatWaits(); }
    void handleFailure(std::exception_ptr) override NIO_REQUIRES(onDispatcher);

  private:
    enum class Step { again, stop, pause };

    Acceptor(ServerSocketChannel channel, std::unique_ptr<AcceptorListener> listener,
             const AcceptorOptions& options);

    Step acceptBatch(std::size_t& left) NIO_REQUIRES(onDispatcher);
    Step acceptOne() NIO_REQUIRES(onDispatcher);
    bool isShortOfMemory() const NIO_REQUIRES(onDispatcher);
    [[gnu::cold]] void refuse() NIO_REQUIRES(onDispatcher);
    Step afterFailure(const IoResult& result) NIO_REQUIRES(onDispatcher);
    UniqueFunction<void()> resumption() NIO_REQUIRES(onDispatcher);
    void waitForMore() NIO_REQUIRES(onDispatcher);
    void acceptWhatWaits() NIO_REQUIRES(onDispatcher);
    void resume() NIO_REQUIRES(onDispatcher);
    void prepareBackOff() NIO_REQUIRES(onDispatcher);
    void backOff() NIO_REQUIRES(onDispatcher);
    void turnOneAway() NIO_REQUIRES(onDispatcher);
    void takeReserve();

    ServerSocketChannel channel_;
    std::unique_ptr<AcceptorListener> listener_;
    const AcceptorOptions options_;
    const std::shared_ptr<ConnectionGate> gate_;
    SocketAddress address_;
    UniqueFd reserve_;
    LogLimiter logLimit_;
    std::optional<ReservedDeadline> backOffEnd_;  // since it is registered
    std::size_t turnedAway_ = 0;
    std::size_t refused_ = 0;
    std::size_t comesAlone_ = 0;  // turns in which one accept suffices
    bool draining_ = false;
    std::size_t mayStillWait_ = 0;  // connections in the backlog, once it drains
};

}  // namespace nio
