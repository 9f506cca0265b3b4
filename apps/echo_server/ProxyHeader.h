// The header of HAProxy's PROXY protocol, versions 1 and 2: what a proxy tells of the connection
// that it relays, before anything else. Parsed strictly.
//
// Thread: any; values.
// Source: haproxy.org, The PROXY protocol, Versions 1 & 2.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include <nio/base/Bytes.h>
#include <nio/base/Result.h>
#include <nio/sys/SocketAddress.h>

namespace echo {

struct ProxyHeader {
    int version = 1;
    bool isLocal = false;         // the proxy's own connection, a health check say
    nio::SocketAddress source{};  // of family none: unknown
    nio::SocketAddress destination{};
    std::size_t bytes = 0;  // of the header

    // "192.0.2.1:1234 to 192.0.2.2:80 (version 1)".
    std::string toString() const;
};

// Absent: the header is not complete, and well formed so far.
// Errors: malformedPacket; the context says what is wrong.
nio::Result<std::optional<ProxyHeader>> parseProxyHeader(nio::ByteView bytes);

}  // namespace echo
