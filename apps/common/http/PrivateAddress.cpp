#include "common/http/PrivateAddress.h"

#include <netinet/in.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <span>

namespace apps {

namespace {

using Bytes = std::span<const std::uint8_t>;

struct Network {
    std::array<std::uint8_t, 12> prefix;
    std::size_t bits;

    bool has(Bytes address) const {
        const std::size_t whole = bits / 8;
        if (!std::equal(prefix.begin(), prefix.begin() + static_cast<std::ptrdiff_t>(whole),
                        address.begin())) {
            return false;
        }
        const unsigned rest = bits % 8;
        return rest == 0 || (prefix[whole] ^ address[whole]) >> (8 - rest) == 0;
    }
};

constexpr Network private4[] = {
    {{0}, 8},                             // this network
    {{10}, 8},                            // private
    {{100, 64}, 10},                      // shared, of carriers
    {{127}, 8},                           // loopback
    {{169, 254}, 16},                     // link-local
    {{172, 16}, 12},                      // private
    {{192, 0, 0}, 24}, {{192, 168}, 16},  // private
    {{198, 18}, 15},                      // benchmarks
    {{224}, 3},                           // multicast, reserved, broadcast
};

constexpr Network private6[] = {
    {{0, 0x64, 0xff, 0x9b, 0, 1}, 48},  // local NAT64
    {{0xfc}, 7},                        // unique local
    {{0xfe, 0x80}, 9},                  // link-local, and what was site-local
    {{0xff}, 8},                        // multicast
};

struct Embedding {
    Network network;
    std::size_t offset;  // of the IPv4 address
};

constexpr Embedding embeddings[] = {
    {{{}, 96}, 12},                                             // compatible; :: and ::1
    {{{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff}, 96}, 12},     // mapped
    {{{0, 0x64, 0xff, 0x9b, 0, 0, 0, 0, 0, 0, 0, 0}, 96}, 12},  // NAT64
    {{{0x20, 0x02}, 16}, 2},                                    // 6to4
};

bool isIn(std::span<const Network> networks, Bytes address) {
    return std::any_of(networks.begin(), networks.end(),
                       [&](const Network& network) { return network.has(address); });
}

bool isPrivate6(Bytes address) {
    if (isIn(private6, address)) return true;
    return std::any_of(std::begin(embeddings), std::end(embeddings), [&](const Embedding& each) {
        return each.network.has(address) && isIn(private4, address.subspan(each.offset, 4));
    });
}

}  // namespace

bool isPrivateAddress(const nio::SocketAddress& address) {
    std::array<std::uint8_t, 16> bytes{};
    switch (address.family()) {
        case nio::SocketAddress::Family::ipv4: {
            sockaddr_in in{};
            std::memcpy(&in, address.data(), sizeof in);
            std::memcpy(bytes.data(), &in.sin_addr, 4);
            return isIn(private4, Bytes(bytes).first(4));
        }
        case nio::SocketAddress::Family::ipv6: {
            sockaddr_in6 in{};
            std::memcpy(&in, address.data(), sizeof in);
            std::memcpy(bytes.data(), &in.sin6_addr, 16);
            return isPrivate6(bytes);
        }
        case nio::SocketAddress::Family::none:
        case nio::SocketAddress::Family::unix_: break;
    }
    return true;
}

}  // namespace apps
