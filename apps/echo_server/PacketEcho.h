// Sends back every packet. One object serves all connections.
#pragma once

#include <nio/handlers/PacketChannel.h>

#include "echo_server/ConnectionLog.h"

namespace echo {

class PacketEcho final : public nio::PacketChannelListener {
  public:
    explicit PacketEcho(bool verbose) : verbose_(verbose) {}

    void channelOpened(nio::PacketChannel& channel) override NIO_REQUIRES(nio::onDispatcher) {
        if (verbose_) logOpened(channel);
    }
    // A packet that came in by this framing goes out by it.
    void packetArrived(nio::PacketChannel& channel, nio::ByteView packet) override
        NIO_REQUIRES(nio::onDispatcher) {
        channel.sendPacket(packet).orThrow();
    }
    void socketDisconnected(nio::PacketChannel& channel) override NIO_REQUIRES(nio::onDispatcher) {
        if (verbose_) logClosed(channel, std::nullopt);
    }
    void socketException(nio::PacketChannel& channel, const nio::Error& error) override
        NIO_REQUIRES(nio::onDispatcher) {
        if (verbose_) logClosed(channel, error);
    }

  private:
    const bool verbose_;
};

}  // namespace echo
