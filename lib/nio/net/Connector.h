// Opens a connection: tries every address of a name, one after the other, within one timeout; the
// listener gets the connection or the error.
//
//     options.resolver = resolver;  // for names
//     connector = std::make_unique<nio::Connector>(dispatcher, listener, options);
//     connector->connectNow("example.org", 7007);
//
// Thread: the dispatcher's own, all of it, except construction.
// Lifetime: owned by the caller. Destroying it cancels the connect: neither callback runs any more.
// It can connect again once a callback has run, also from inside that callback. The listener may
// destroy it inside a callback. Destroy it before its dispatcher, on the dispatcher or after it has
// stopped.
// A lookup in progress when the dispatcher stops is cancelled without a callback; so is a connect
// started in the dispatcher's last turn: isConnecting() stays true then.
// Errors: connection_refused (also where TCP would connect to itself, which it can do to a port of
// the ephemeral range), network_unreachable, … of the last address tried; timedOut;
// nameNotFound; stopped: the dispatcher drains; not_enough_memory. What connectNow itself throws
// (std::bad_alloc) has begun nothing.
// Source: ONJava article 2004, Connector and ConnectorListener.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <nio/channel/SocketChannel.h>
#include <nio/loop/SelectorThread.h>
#include <nio/net/Resolver.h>

namespace nio {

class Connector;

class ConnectorListener {
  public:
    virtual ~ConnectorListener() = default;
    // The connection, already registered with this dispatcher: create its handler and pass that to
    // registerChannelNow. It is closed if the channel is destroyed.
    virtual void connectionEstablished(Connector& connector, SocketChannel channel)
        NIO_REQUIRES(onDispatcher) = 0;
    virtual void connectionFailed(Connector& connector, const Error& error)
        NIO_REQUIRES(onDispatcher) = 0;
};

struct ConnectorOptions {
    // From connectNow to the callback, including the lookup. Each address gets an equal share of
    // the remaining time.
    std::chrono::milliseconds timeout{10'000};
    // As ListenOptions::keepAlive.
    std::chrono::seconds keepAlive{0};
    // The address (port 0: any) to connect from.
    std::optional<SocketAddress> source{};
    // Required for names only; notSupported without it. Keep a reference yourself, too: releasing
    // the last one waits for the lookup in progress, and must not happen on this dispatcher.
    std::shared_ptr<Resolver> resolver{};
};

class Connector {
  public:
    // The listener must outlive the Connector.
    Connector(SelectorThread& thread, ConnectorListener& listener, ConnectorOptions options = {});
    Connector(const Connector&) = delete;
    Connector& operator=(const Connector&) = delete;
    ~Connector();

    // One at a time: cancels a connect in progress. Never calls the listener before it returns.
    void connectNow(const SocketAddress& address) NIO_REQUIRES(onDispatcher);
    // Tried in this order.
    void connectNow(std::vector<SocketAddress> addresses) NIO_REQUIRES(onDispatcher);
    void connectNow(const std::string& host, std::uint16_t port) NIO_REQUIRES(onDispatcher);
    void cancelNow() NIO_REQUIRES(onDispatcher);
    bool isConnecting() const { return operation_ != nullptr; }

    SelectorThread& dispatcher() const { return thread_; }

  private:
    class Attempt;
    struct Operation;

    Operation& begin() NIO_REQUIRES(onDispatcher);
    template <class Step>
    void orGiveUp(Step&& step) NIO_REQUIRES(onDispatcher);
    void tryNext() NIO_REQUIRES(onDispatcher);
    void tryTheRest() NIO_REQUIRES(onDispatcher);
    Result<void> tryAddress(const SocketAddress& address) NIO_REQUIRES(onDispatcher);
    void attemptFailed(const Error& error) NIO_REQUIRES(onDispatcher);
    void blame(std::error_code code) NIO_REQUIRES(onDispatcher);
    void attemptDone(SocketChannel channel) NIO_REQUIRES(onDispatcher);
    void dropAttempt() NIO_REQUIRES(onDispatcher);
    void timeIsUp() NIO_REQUIRES(onDispatcher);
    void fail(Error reason) NIO_REQUIRES(onDispatcher);

    SelectorThread& thread_;
    ConnectorListener& listener_;
    const ConnectorOptions options_;
    std::shared_ptr<Operation> operation_;
};

}  // namespace nio
