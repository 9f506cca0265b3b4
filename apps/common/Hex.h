// Octets as hexadecimal digits, two each, in lower case.
//
// Thread: any; pure.
#pragma once

#include <string>

#include <nio/base/Bytes.h>

namespace apps {

inline std::string hexOf(nio::ByteView octets) {
    constexpr char digits[] = "0123456789abcdef";
    std::string hex(2 * octets.size(), '0');
    for (std::size_t i = 0; i < octets.size(); ++i) {
        const auto value = std::to_integer<unsigned>(octets[i]);
        hex[2 * i] = digits[value >> 4];
        hex[2 * i + 1] = digits[value & 15];
    }
    return hex;
}

}  // namespace apps
