// The closed loop of one connection: as many messages under way as the plan says, each answer
// checked and timed, the next message sent for it. What carries the bytes is its derived class.
//
// Latency counts from the moment the message was handed to the connection to the one its last byte
// was read; what is sent for the answers of one callback leaves together when that returns.
//
// Thread: the dispatcher's own, except construction.
// Lifetime: that of its handler; the worker lives longer.
#pragma once

#include <optional>

#include <nio/handlers/StreamHandler.h>

#include "echo_client/Exchange.h"

namespace load {

class LoadWorker;

class LoadConnection {
  public:
    LoadConnection(LoadWorker& worker, std::size_t connection);
    LoadConnection(const LoadConnection&) = delete;
    LoadConnection& operator=(const LoadConnection&) = delete;
    virtual ~LoadConnection() = default;

    std::size_t outstanding() const { return exchange_.outstanding(); }
    // Sends as much as may be under way.
    void fill() NIO_REQUIRES(nio::onDispatcher) { fillAt(nio::Clock::now()); }
    // FIN, and then that of the server.
    void finish() NIO_REQUIRES(nio::onDispatcher);

    // Where the worker keeps it.
    std::size_t place = 0;

  protected:
    void opened() NIO_REQUIRES(nio::onDispatcher);
    void bytesAnswered(nio::ByteView bytes) NIO_REQUIRES(nio::onDispatcher);
    void packetAnswered(nio::ByteView packet) NIO_REQUIRES(nio::onDispatcher);
    void serverFinished() NIO_REQUIRES(nio::onDispatcher);
    void closed(const std::optional<nio::Error>& reason) NIO_REQUIRES(nio::onDispatcher);

  private:
    virtual nio::StreamHandler& stream() = 0;
    virtual void sendMessage(nio::ByteView message) NIO_REQUIRES(nio::onDispatcher) = 0;

    void answered(bool right, nio::TimePoint now) NIO_REQUIRES(nio::onDispatcher);
    void fillAt(nio::TimePoint now) NIO_REQUIRES(nio::onDispatcher);

    LoadWorker& worker_;
    Exchange exchange_;
    bool finished_ = false;  // by us
    bool counted_ = false;   // among the errors: once is enough
};

}  // namespace load
