// Makes one connection after the other.
//
// A backlog that is full is waited for (a Unix-domain listener refuses at once then).
//
// Thread: the dispatcher's own, except construction.
// Lifetime: destroyed, at the latest, when the dispatcher has stopped.
#pragma once

#include <optional>

#include <nio/net/Connector.h>

namespace load {

class DialLine;

// One call for each dial(). The line may dial again in it, or be destroyed.
class DialLineListener {
  public:
    virtual ~DialLineListener() = default;
    // Register the channel with a handler, or let it go.
    virtual void lineDialed(DialLine& line, nio::SocketChannel channel, nio::Clock::duration took)
        NIO_REQUIRES(nio::onDispatcher) = 0;
    virtual void lineFailed(DialLine& line, const nio::Error& error)
        NIO_REQUIRES(nio::onDispatcher) = 0;
};

class DialLine final : private nio::ConnectorListener {
  public:
    // Lines of one dispatcher at most, where its server's backlog is not to be overrun.
    static constexpr std::size_t mostLines = 256;
    // `keepAlive` as nio::ConnectorOptions has it. A connect that takes longer than `timeout`
    // fails.
    DialLine(nio::SelectorThread& thread, DialLineListener& listener,
             std::chrono::seconds keepAlive, std::chrono::milliseconds timeout);

    // The server is not gone before the end. The number is for the listener.
    void dial(std::size_t connection, const nio::SocketAddress& server,
              std::optional<nio::SocketAddress> source) NIO_REQUIRES(nio::onDispatcher);
    std::size_t connection() const { return connection_; }

  private:
    void connectionEstablished(nio::Connector& connector, nio::SocketChannel channel) override
        NIO_REQUIRES(nio::onDispatcher);
    void connectionFailed(nio::Connector& connector, const nio::Error& error) override
        NIO_REQUIRES(nio::onDispatcher);

    nio::SelectorThread& thread_;
    DialLineListener& listener_;
    const std::chrono::seconds keepAlive_;
    const std::chrono::milliseconds timeout_;
    const nio::SocketAddress* server_ = nullptr;
    nio::Deadline retry_;
    std::optional<nio::Connector> connector_;
    std::size_t connection_ = 0;
    nio::TimePoint begun_{};
};

}  // namespace load
