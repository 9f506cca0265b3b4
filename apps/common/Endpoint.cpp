#include "common/Endpoint.h"

#include <nio/sys/Kernel.h>

namespace apps {

std::string Endpoint::toString() const {
    if (!unixPath.empty()) return "unix:" + unixPath;
    const bool ipv6 = host.find(':') != std::string::npos;
    return (ipv6 ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

nio::Result<nio::SocketAddress> resolve(const Endpoint& endpoint) {
    if (!endpoint.unixPath.empty()) return nio::SocketAddress::unixPath(endpoint.unixPath);
    auto numeric = nio::SocketAddress::numeric(endpoint.host, endpoint.port);
    if (numeric) return numeric;
    auto addresses = nio::kernel::resolve(endpoint.host, endpoint.port);
    if (!addresses) return addresses.error();
    return addresses.value().front();
}

}  // namespace apps
