// Sends back every packet. One object serves all connections.
#pragma once

#include <nio/connection/PacketChannel.h>

#include "echo_server/ConnectionLog.h"

namespace echo {

class PacketEcho final : public nio::PacketChannelListener {
  public:
    explicit PacketEcho(bool verbose) : verbose_(verbose) {}

    void channelOpened(nio::PacketChannel& channel) override NIO_REQUIRES(nio::onDispatcher) {
        if (verbose_) logOpened(channel);
    }
    // Not all that a framing understands can it say: a line of "a\r\r\n" ends in '\r'.
    void packetArrived(nio::PacketChannel& channel, nio::ByteView packet) override
        NIO_REQUIRES(nio::onDispatcher) {
        if (const auto sent = channel.sendPacket(packet); !sent) {
            channel.failAfterFlush(sent.error());
        }
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
