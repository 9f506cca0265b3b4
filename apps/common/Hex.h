// Octets as hexadecimal digits, two each, in lower case.
//
// Thread: any; pure.
#pragma once

#include <string>

#include <nio/base/Bytes.h>

namespace apps {

inline std::string hexOf(nio::ByteView octets) {
    constexpr char digits[] = "0123456789abcdef";
    std::string hex;
    hex.reserve(2 * octets.size());
    for (const nio::Byte octet : octets) {
        const auto value = std::to_integer<unsigned>(octet);
        hex += digits[value >> 4];
        hex += digits[value & 15];
    }
    return hex;
}

}  // namespace apps
