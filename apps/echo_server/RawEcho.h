// Sends back every byte, whatever it is: a StreamHandler of one line.
#pragma once

#include <nio/connection/StreamHandler.h>

namespace echo {

class RawEcho final : public nio::StreamHandler {
  public:
    using StreamHandler::StreamHandler;

  protected:
    [[gnu::hot]] void bytesArrived(nio::ByteView bytes) override NIO_REQUIRES(nio::onDispatcher) {
        sendThrough(bytes);
    }
};

}  // namespace echo
