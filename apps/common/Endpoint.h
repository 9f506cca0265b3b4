// Where a program listens or connects, as given on the command line: --host with --port, or --unix.
#pragma once

#include <cstdint>
#include <string>

#include <nio/base/Result.h>
#include <nio/sys/SocketAddress.h>

namespace apps {

struct Endpoint {
    std::string host = "127.0.0.1";
    std::uint16_t port = 7007;
    std::string unixPath;

    std::string toString() const;
};

// The first address of the host; names are looked up, which may block: not on a dispatcher.
nio::Result<nio::SocketAddress> resolve(const Endpoint& endpoint);

}  // namespace apps
