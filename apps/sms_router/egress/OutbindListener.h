// Where an SMSC may connect to ask for a bind (outbind). Who may is an address or a CIDR block; by
// anything else nobody is meant: whoever is let in gets our password.
//
// Thread: the dispatcher's own.
// Source: SMPP 3.4, 2.2.1 and 4.1.7.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include <nio/channel/SocketChannel.h>
#include <nio/loop/SelectorThread.h>

namespace router {

class OutbindListener {
  public:
    // On the dispatcher; the connection is closed if it is let go.
    using Adopt = std::function<void(nio::SocketChannel channel)>;
    // Hears of a peer with another address.
    using Refused = std::function<void(const nio::SocketAddress& peer)>;

    OutbindListener(nio::SelectorThread& thread, Adopt adopt, Refused refused)
        : thread_(thread),
          calls_(std::make_shared<Calls>(Calls{std::move(adopt), std::move(refused)})) {}

    // An error: it could not listen. `keepAlive` as nio::ListenOptions has it.
    nio::Result<void> openNow(const std::string& address, const std::string& peerHost,
                              std::chrono::seconds keepAlive = {}) NIO_REQUIRES(nio::onDispatcher);
    void closeNow() NIO_REQUIRES(nio::onDispatcher);

  private:
    class Door;
    struct Calls {
        Adopt adopt;
        Refused refused;
    };

    nio::SelectorThread& thread_;
    std::shared_ptr<const Calls> calls_;
    nio::ChannelHandle handle_;
};

}  // namespace router
