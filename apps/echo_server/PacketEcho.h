// Sends back every packet: the application of a connection with framing.
#pragma once

#include <nio/base/Bytes.h>
#include <nio/base/ThreadRole.h>

namespace echo {

class PacketEcho {
  public:
    // Not all that a framing understands can it say, a line of "a\r\r\n" ends in '\r': send() ends
    // the connection then.
    void read(auto& peer, nio::ByteView packet) NIO_REQUIRES(nio::onDispatcher) {
        peer.send(packet);
    }
};

}  // namespace echo
