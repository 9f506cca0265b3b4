// Where the router listens: on the sockets that a service manager has passed (nio::listenFds),
// found by their address, and elsewhere on new ones.
//
// Thread: any, one at a time.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include <nio/channel/ServerSocketChannel.h>

namespace router {

class ListeningSockets {
  public:
    ListeningSockets() = default;
    explicit ListeningSockets(std::vector<nio::UniqueFd> passed) : passed_(std::move(passed)) {}

    // Takes the passed socket that has this address (`host` is numeric), or opens a new one.
    // Errors: see nio::SocketAddress::numeric, nio::ServerSocketChannel::open and adopt.
    nio::Result<nio::ServerSocketChannel> listen(const std::string& host, std::uint16_t port,
                                                 std::chrono::seconds keepAlive);
    // The addresses of the passed sockets that listen() has not taken, as text.
    std::vector<std::string> unused() const;

  private:
    std::vector<nio::UniqueFd> passed_;
};

}  // namespace router
