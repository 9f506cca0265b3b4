// Sends back every packet: the application of a connection with framing.
#pragma once

#include <optional>

#include "echo_server/ConnectionLog.h"

namespace echo {

class PacketEcho {
  public:
    explicit PacketEcho(bool verbose) : verbose_(verbose) {}

    void opened(auto& peer) NIO_REQUIRES(nio::onDispatcher) {
        if (verbose_) logOpened(peer);
    }
    // Not all that a framing understands can it say, a line of "a\r\r\n" ends in '\r': send() ends
    // the connection then.
    void read(auto& peer, nio::ByteView packet) NIO_REQUIRES(nio::onDispatcher) {
        peer.send(packet);
    }
    void failed(auto& peer, const nio::Error& error) NIO_REQUIRES(nio::onDispatcher) {
        if (verbose_) logClosed(peer, error);
        verbose_ = false;
    }
    void closed(auto& peer) NIO_REQUIRES(nio::onDispatcher) {
        if (verbose_) logClosed(peer, std::nullopt);
    }

  private:
    bool verbose_;
};

}  // namespace echo
