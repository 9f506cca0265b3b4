// Integers in network order, within octets that were measured before. Private to this room.
//
// Thread: any.
#pragma once

#include <cstddef>
#include <cstdint>

#include <nio/base/Bytes.h>

namespace smpp {

constexpr std::uint16_t get16(const nio::Byte* at) {
    return static_cast<std::uint16_t>(std::to_integer<unsigned>(at[0]) << 8 |
                                      std::to_integer<unsigned>(at[1]));
}

constexpr std::uint32_t get32(const nio::Byte* at) {
    return std::to_integer<std::uint32_t>(at[0]) << 24 |
           std::to_integer<std::uint32_t>(at[1]) << 16 |
           std::to_integer<std::uint32_t>(at[2]) << 8 | std::to_integer<std::uint32_t>(at[3]);
}

constexpr void put16(nio::Byte* at, std::uint16_t value) {
    at[0] = static_cast<nio::Byte>(value >> 8);
    at[1] = static_cast<nio::Byte>(value & 0xFF);
}

constexpr void put32(nio::Byte* at, std::uint32_t value) {
    put16(at, static_cast<std::uint16_t>(value >> 16));
    put16(at + 2, static_cast<std::uint16_t>(value & 0xFFFF));
}

}  // namespace smpp
