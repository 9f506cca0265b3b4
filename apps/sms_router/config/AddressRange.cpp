#include "sms_router/config/AddressRange.h"

#include <netinet/in.h>

#include <algorithm>
#include <charconv>

namespace router {

namespace {

using Octets = std::array<std::uint8_t, 16>;

constexpr unsigned allBits = 128;
constexpr unsigned v4Offset = 96;  // of an IPv4 address in its IPv4-mapped form
constexpr Octets mapped{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF};

bool isMapped(const Octets& octets) {
    return std::equal(mapped.begin(), mapped.begin() + v4Offset / 8, octets.begin());
}

// Nothing for what is no IP address.
std::optional<Octets> octetsOf(const nio::SocketAddress& address) {
    Octets octets = mapped;
    if (address.family() == nio::SocketAddress::Family::ipv4) {
        const auto* v4 = reinterpret_cast<const sockaddr_in*>(address.data());
        const auto* from = reinterpret_cast<const std::uint8_t*>(&v4->sin_addr);
        std::copy_n(from, 4, octets.begin() + v4Offset / 8);
        return octets;
    }
    if (address.family() != nio::SocketAddress::Family::ipv6) return std::nullopt;
    const auto* v6 = reinterpret_cast<const sockaddr_in6*>(address.data());
    std::copy_n(v6->sin6_addr.s6_addr, octets.size(), octets.begin());
    return octets;
}

std::optional<unsigned> parseBits(std::string_view text, unsigned most) {
    unsigned bits = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), bits);
    const bool whole = error == std::errc() && end == text.data() + text.size();
    return whole && bits <= most ? std::optional(bits) : std::nullopt;
}

std::uint8_t maskOf(unsigned octet, unsigned prefixBits) {
    if (prefixBits >= (octet + 1) * 8) return 0xFF;
    if (prefixBits <= octet * 8) return 0;
    return static_cast<std::uint8_t>(0xFF00U >> (prefixBits - octet * 8));
}

bool sameBits(const Octets& a, const Octets& b, unsigned prefixBits) {
    for (unsigned i = 0; i < a.size(); ++i) {
        if (((a[i] ^ b[i]) & maskOf(i, prefixBits)) != 0) return false;
    }
    return true;
}

bool isClearBehind(const Octets& octets, unsigned prefixBits) {
    for (unsigned i = 0; i < octets.size(); ++i) {
        if ((octets[i] & ~maskOf(i, prefixBits)) != 0) return false;
    }
    return true;
}

}  // namespace

std::optional<AddressRange> AddressRange::parse(std::string_view text) {
    const std::size_t slash = text.find('/');
    const std::string_view host = text.substr(0, slash);
    const auto address = nio::SocketAddress::numeric(host, 0);
    // A scope says nothing about where a peer comes from.
    if (!address || host.find('%') != std::string_view::npos) return std::nullopt;

    AddressRange range;
    range.isV4_ = address.value().family() == nio::SocketAddress::Family::ipv4;
    range.network_ = *octetsOf(address.value());
    if (slash == std::string_view::npos) return range;

    const unsigned offset = range.isV4_ ? v4Offset : 0;
    const auto bits = parseBits(text.substr(slash + 1), allBits - offset);
    if (!bits || !isClearBehind(range.network_, offset + *bits)) return std::nullopt;
    range.prefixBits_ = offset + *bits;
    return range;
}

bool AddressRange::contains(const nio::SocketAddress& address) const {
    const auto octets = octetsOf(address);
    // "::/0" means IPv6: the mapped form of IPv4 is our own notation.
    if (!octets || (isMapped(*octets) && prefixBits_ < v4Offset)) return false;
    return sameBits(*octets, network_, prefixBits_);
}

std::string AddressRange::toString() const {
    sockaddr_storage storage{};
    if (isV4_) {
        auto* v4 = reinterpret_cast<sockaddr_in*>(&storage);
        v4->sin_family = AF_INET;
        std::copy_n(network_.begin() + v4Offset / 8, 4,
                    reinterpret_cast<std::uint8_t*>(&v4->sin_addr));
    } else {
        auto* v6 = reinterpret_cast<sockaddr_in6*>(&storage);
        v6->sin6_family = AF_INET6;
        std::copy_n(network_.begin(), network_.size(), v6->sin6_addr.s6_addr);
    }
    const auto length = static_cast<socklen_t>(isV4_ ? sizeof(sockaddr_in) : sizeof(sockaddr_in6));
    const auto* system = reinterpret_cast<const sockaddr*>(&storage);
    const std::string host = nio::SocketAddress::fromSystem(system, length).host();
    if (prefixBits_ == allBits) return host;
    return host + "/" + std::to_string(prefixBits_ - (isV4_ ? v4Offset : 0));
}

}  // namespace router
