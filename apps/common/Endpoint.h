// Where a program listens or connects, as given on the command line: --host with --port, or --unix.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <nio/base/Result.h>
#include <nio/sys/SocketAddress.h>

namespace apps {

struct Endpoint {
    std::string host = "127.0.0.1";
    std::uint16_t port = 7007;
    std::string unixPath;  // "@name": an abstract one, without a file

    // For people: control characters of a path become '?'.
    std::string toString() const;
};

// "::1" for "[::1]", as a URL has it; other hosts as they are.
std::string withoutBrackets(const std::string& host);

// Of "PORT", "HOST:PORT" or "[HOST]:PORT"; absent for anything else.
std::optional<Endpoint> endpointFrom(std::string_view text);

// The same, or "*:PORT" (every IPv4 and IPv6 address), "unix:PATH" or "unix:@NAME" (abstract).
std::optional<Endpoint> listenEndpointFrom(std::string_view text);

// The first address of the host; names are looked up, which may block: not on a dispatcher.
nio::Result<nio::SocketAddress> resolve(const Endpoint& endpoint);

// The source that limits count by: of an IPv6 address its /64, of which a subscriber may have all;
// of an IPv4 address itself, also where it is mapped into IPv6; of any other the same.
std::string sourceOf(const nio::SocketAddress& peer);

}  // namespace apps
