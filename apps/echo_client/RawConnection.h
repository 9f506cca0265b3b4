// A connection of a load without framing.
#pragma once

#include "echo_client/LoadConnection.h"
#include "echo_client/LoadWorker.h"

namespace load {

class RawConnection final : public nio::StreamHandler, public LoadConnection {
  public:
    RawConnection(nio::SocketChannel channel, LoadWorker& worker, std::size_t connection)
        : StreamHandler(std::move(channel), worker.plan().stream()),
          LoadConnection(worker, connection) {}

  protected:
    void connectionOpened() override NIO_REQUIRES(nio::onDispatcher) { opened(); }
    void bytesArrived(nio::ByteView bytes) override NIO_REQUIRES(nio::onDispatcher) {
        bytesAnswered(bytes);
    }
    void peerFinished() override NIO_REQUIRES(nio::onDispatcher) { serverFinished(); }
    void connectionClosed(const std::optional<nio::Error>& reason) override
        NIO_REQUIRES(nio::onDispatcher) {
        closed(reason);
    }

  private:
    nio::StreamHandler& stream() override { return *this; }
    void sendMessage(nio::ByteView message) override NIO_REQUIRES(nio::onDispatcher) {
        send(message);
    }
};

}  // namespace load
