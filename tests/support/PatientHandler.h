// A handler that does not end by itself when it is told to drain, and never reads.
//
// Thread: the dispatcher's own.
#pragma once

#include <utility>

#include <nio/channel/SocketChannel.h>
#include <nio/loop/SelectorHandlers.h>

#include "support/TestSockets.h"

namespace support {

class PatientHandler final : public nio::ReadWriteSelectorHandler {
  public:
    explicit PatientHandler(Link& link, nio::Remains remains = {})
        : channel_(std::move(link.channel)), remains_(remains) {}
    nio::SocketChannel& channel() override { return channel_; }
    void handleRead() override NIO_REQUIRES(nio::onDispatcher) {}
    void handleWrite() override NIO_REQUIRES(nio::onDispatcher) {}
    void handleDrain(const nio::DrainOptions&) override NIO_REQUIRES(nio::onDispatcher) {}
    nio::Remains remains() const override { return remains_; }

  private:
    nio::SocketChannel channel_;
    const nio::Remains remains_;
};

}  // namespace support
