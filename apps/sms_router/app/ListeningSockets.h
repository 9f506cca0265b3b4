// Where the router listens: on the sockets that a service manager has passed (nio::listenFds) or
// that the router before it had (nio::Takeover), found by their address, and elsewhere on new ones.
//
// Thread: any, one at a time.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include <nio/net/Takeover.h>

#include "sms_router/config/RouterConfig.h"

namespace router {

class ListeningSockets {
  public:
    ListeningSockets() = default;
    explicit ListeningSockets(std::vector<nio::UniqueFd> passed) : passed_(std::move(passed)) {}
    // `takeover`, which must outlive this, offers all sockets to the next router.
    explicit ListeningSockets(nio::Takeover& takeover) : takeover_(&takeover) {}

    // Takes over or opens every address of `config` now, so that listen() finds it: what fails does
    // so before the predecessor drains. Without a takeover it does nothing.
    // Errors: std::runtime_error, with the address.
    void openAll(const RouterConfig& config);
    // Takes the passed socket that has this address (`host` is numeric), or opens a new one.
    // Errors: see nio::SocketAddress::numeric, nio::ServerSocketChannel::open and adopt.
    nio::Result<nio::ServerSocketChannel> listen(const std::string& host, std::uint16_t port,
                                                 std::chrono::seconds keepAlive);
    // The listener at this address was closed: the next router is not offered its socket.
    void forget(const nio::SocketAddress& address);
    // The addresses of the passed sockets that listen() has not taken, as text.
    std::vector<std::string> unused() const;

  private:
    void openNow(const std::string& host, std::uint16_t port, std::chrono::seconds keepAlive);

    std::vector<nio::UniqueFd> passed_;
    nio::Takeover* takeover_ = nullptr;
};

}  // namespace router
