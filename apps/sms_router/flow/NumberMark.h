// A few bits of an address: of its last six digits, since SMSCs write the front of a number in ways
// of their own.
//
// Thread: any; pure.
#pragma once

#include <cstdint>
#include <string_view>

namespace router {

// 0: no digits.
constexpr std::uint16_t numberMark(std::string_view address) {
    std::uint32_t mark = 0;
    int digits = 0;
    for (std::size_t i = address.size(); i > 0 && digits < 6; --i) {
        const char c = address[i - 1];
        if (c < '0' || c > '9') continue;
        mark = mark * 10 + static_cast<std::uint32_t>(c - '0');
        ++digits;
    }
    return digits == 0 ? 0 : static_cast<std::uint16_t>(mark % 65'521 + 1);
}

// Whether both may be the same number; what is not known may be any.
constexpr bool mayBeSameNumber(std::uint16_t a, std::uint16_t b) {
    return a == b || a == 0 || b == 0;
}

}  // namespace router
