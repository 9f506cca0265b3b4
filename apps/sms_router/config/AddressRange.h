// Where an account may connect from: an address or a CIDR block, IPv4 or IPv6. An IPv4 block also
// matches IPv4-mapped IPv6 addresses.
//
// Thread: any; a value.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <nio/sys/SocketAddress.h>

namespace router {

class AddressRange {
  public:
    // "192.0.2.0/24", "2001:db8::/32", "127.0.0.1". Nothing: no such range, also where bits are set
    // behind the prefix.
    static std::optional<AddressRange> parse(std::string_view text);

    bool contains(const nio::SocketAddress& address) const;
    std::string toString() const;

  private:
    std::array<std::uint8_t, 16> network_{};  // IPv4 as IPv4-mapped
    unsigned prefixBits_ = 128;
    bool isV4_ = false;
};

}  // namespace router
