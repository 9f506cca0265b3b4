// Sends back what comes: every byte, or every packet.
//
// Thread: the dispatcher's own.
#pragma once

#include <nio/connection/StreamHandler.h>

namespace echo {

// Without framing: a StreamHandler of one line.
class RawEcho final : public nio::StreamHandler {
  public:
    using StreamHandler::StreamHandler;

  protected:
    [[gnu::hot]] void bytesArrived(nio::ByteView bytes) override NIO_REQUIRES(nio::onDispatcher) {
        sendThrough(bytes);
    }
};

// The application of a connection with framing.
class PacketEcho {
  public:
    // Not all that a framing understands can it say, a line of "a\r\r\n" ends in '\r': send() ends
    // the connection then.
    void read(auto& peer, nio::ByteView packet) NIO_REQUIRES(nio::onDispatcher) {
        peer.send(packet);
    }
};

}  // namespace echo
