// A connection of a load without framing.
#pragma once

#include "echo_client/load/LoadConnection.h"
#include "echo_client/load/LoadSlot.h"

namespace load {

class RawConnection final : public nio::StreamHandler, public LoadConnection {
  public:
    RawConnection(nio::SocketChannel channel, LoadSlot& slot,
                  std::shared_ptr<const nio::StreamOptions> options)
        : StreamHandler(std::move(channel), std::move(options)), LoadConnection(slot) {}

    void send(nio::ByteView message) override NIO_REQUIRES(nio::onDispatcher) {
        StreamHandler::send(message);
    }
    nio::StreamHandler& stream() override { return *this; }

  protected:
    void connectionOpened() override NIO_REQUIRES(nio::onDispatcher) { slot().opened(*this); }
    void bytesArrived(nio::ByteView bytes) override NIO_REQUIRES(nio::onDispatcher) {
        slot().bytesArrived(bytes);
    }
    void outputFlushed() override NIO_REQUIRES(nio::onDispatcher) { slot().flushed(); }
    void peerFinished() override NIO_REQUIRES(nio::onDispatcher) { slot().serverFinished(); }
    void connectionClosed(const std::optional<nio::Error>& reason) override
        NIO_REQUIRES(nio::onDispatcher) {
        slot().closed(reason);
    }
};

}  // namespace load
