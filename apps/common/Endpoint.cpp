#include "common/Endpoint.h"

#include <netinet/in.h>

#include <algorithm>
#include <charconv>
#include <iterator>

#include <nio/sys/Kernel.h>

#include "common/Printable.h"

namespace apps {

std::string Endpoint::toString() const {
    if (!unixPath.empty()) return "unix:" + printable(unixPath);
    const bool ipv6 = host.find(':') != std::string::npos;
    return (ipv6 ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

std::string withoutBrackets(const std::string& host) {
    const bool bracketed = host.size() > 2 && host.front() == '[' && host.back() == ']';
    const std::string inner = bracketed ? host.substr(1, host.size() - 2) : host;
    return inner.find(':') != std::string::npos ? inner : host;
}

std::optional<Endpoint> endpointFrom(std::string_view text) {
    Endpoint endpoint;
    const std::size_t colon = text.rfind(':');
    if (colon != std::string_view::npos) {
        std::string_view host = text.substr(0, colon);
        text.remove_prefix(colon + 1);
        const bool bracketed = host.size() > 2 && host.front() == '[' && host.back() == ']';
        if (bracketed) host = host.substr(1, host.size() - 2);
        const bool hasColons = host.find(':') != host.npos;
        if (host.empty() || hasColons != bracketed || host.find_first_of("[]") != host.npos)
            return std::nullopt;
        endpoint.host = host;
    }
    const char* const end = text.data() + text.size();
    const auto parsed = std::from_chars(text.data(), end, endpoint.port);
    if (text.empty() || parsed.ec != std::errc() || parsed.ptr != end) return std::nullopt;
    return endpoint;
}

std::optional<Endpoint> listenEndpointFrom(std::string_view text) {
    constexpr std::string_view unixPrefix = "unix:";
    constexpr std::string_view everywhere = "*:";
    if (text.starts_with(unixPrefix)) {
        Endpoint endpoint;
        endpoint.unixPath = text.substr(unixPrefix.size());
        if (!nio::SocketAddress::unixPath(endpoint.unixPath)) return std::nullopt;
        return endpoint;
    }
    if (!text.starts_with(everywhere)) return endpointFrom(text);
    const std::string_view port = text.substr(everywhere.size());
    if (port.find(':') != port.npos) return std::nullopt;
    auto endpoint = endpointFrom(port);
    if (endpoint) endpoint->host = "::";
    return endpoint;
}

nio::Result<nio::SocketAddress> resolve(const Endpoint& endpoint) {
    if (!endpoint.unixPath.empty()) return nio::SocketAddress::unixPath(endpoint.unixPath);
    auto numeric = nio::SocketAddress::numeric(endpoint.host, endpoint.port);
    if (numeric) return numeric;
    auto addresses = nio::kernel::resolve(endpoint.host, endpoint.port);
    if (!addresses) return addresses.error();
    return addresses.value().front();
}

std::string sourceOf(const nio::SocketAddress& peer) {
    if (peer.family() != nio::SocketAddress::Family::ipv6) return peer.host();
    sockaddr_in6 network = *reinterpret_cast<const sockaddr_in6*>(peer.data());
    if (IN6_IS_ADDR_V4MAPPED(&network.sin6_addr)) {
        const std::string host = peer.host();
        return host.substr(host.rfind(':') + 1);
    }
    constexpr std::size_t networkOctets = 8;
    std::fill(std::begin(network.sin6_addr.s6_addr) + networkOctets,
              std::end(network.sin6_addr.s6_addr), std::uint8_t{0});
    network.sin6_scope_id = 0;
    const auto* system = reinterpret_cast<const sockaddr*>(&network);
    return nio::SocketAddress::fromSystem(system, sizeof network).host() + "/64";
}

}  // namespace apps
