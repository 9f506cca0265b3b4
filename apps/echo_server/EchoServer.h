// The echo server: a group of dispatchers, an Acceptor on the first of them, connections dealt out
// to all.
//
// Thread: any, one at a time; requestStop() any.
// Errors: the constructor and listen() throw std::system_error or give back the reason.
#pragma once

#include <nio/dispatch/SelectorThreadGroup.h>
#include <nio/handlers/ConnectionDealer.h>
#include <nio/handlers/PacketChannel.h>

#include "echo_server/ConnectionLog.h"
#include "echo_server/EchoServerOptions.h"

namespace echo {

class EchoServer {
  public:
    explicit EchoServer(const EchoServerOptions& options);

    // Starts the dispatchers and listens; gives back where.
    nio::Result<nio::SocketAddress> listen(const nio::SocketAddress& address);

    // The first call drains, the second aborts what is left.
    void requestStop();
    // Until it has stopped.
    nio::DrainReport wait();

    std::size_t threads() const { return group_.size(); }
    std::string_view selectorName() const { return group_.selectorName(); }

  private:
    std::unique_ptr<nio::ReadWriteSelectorHandler> makeHandler(nio::AcceptedConnection connection);

    const EchoServerOptions options_;
    const ConnectionLog log_{};
    const std::shared_ptr<const nio::StreamOptions> streamOptions_;
    const std::shared_ptr<nio::PacketChannelListener> packetEcho_;
    bool stopRequested_ = false;
    nio::SelectorThreadGroup group_;
};

}  // namespace echo
