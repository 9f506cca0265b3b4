// Sends back every byte, whatever it is: a StreamHandler of one line.
#pragma once

#include <nio/connection/StreamHandler.h>

#include "echo_server/ConnectionLog.h"

namespace echo {

class RawEcho final : public nio::StreamHandler {
  public:
    RawEcho(nio::SocketChannel channel, std::shared_ptr<const nio::StreamOptions> options,
            bool verbose)
        : StreamHandler(std::move(channel), std::move(options)), verbose_(verbose) {}

  protected:
    void connectionOpened() override NIO_REQUIRES(nio::onDispatcher) {
        if (verbose_) logOpened(*this);
    }
    [[gnu::hot]] void bytesArrived(nio::ByteView bytes) override NIO_REQUIRES(nio::onDispatcher) {
        sendThrough(bytes);
    }
    void connectionClosed(const std::optional<nio::Error>& reason) override
        NIO_REQUIRES(nio::onDispatcher) {
        if (verbose_) logClosed(*this, reason);
    }

  private:
    const bool verbose_;
};

}  // namespace echo
