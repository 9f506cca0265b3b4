// What a handler waits for, as a bitmask. `exceptional` is POLLPRI of poll(2): urgent data of TCP,
// say, or a state change of a pseudo-terminal in packet mode. The kqueue engine cannot watch for it
// (Errc::notSupported); the select engine does not tell it of a hang-up, which the others do.
//
// Thread: any; a value.
// Source: ONJava article 2004 / java.nio.channels.SelectionKey (OP_READ, OP_WRITE, OP_CONNECT,
// OP_ACCEPT).
#pragma once

#include <cstdint>

#include <nio/base/Cpp20.h>

namespace nio {

// The values are explained in PollEvents.h.
enum class Interest : std::uint8_t {
    none = 0,
    read = 1,
    exceptional = 2,
    write = 4,
    accept = 16,
    connect = 64
};

constexpr Interest operator|(Interest a, Interest b) {
    return static_cast<Interest>(static_cast<std::uint8_t>(a) | static_cast<std::uint8_t>(b));
}
constexpr Interest operator&(Interest a, Interest b) {
    return static_cast<Interest>(static_cast<std::uint8_t>(a) & static_cast<std::uint8_t>(b));
}
// What is in `a` and not in `b`.
constexpr Interest operator-(Interest a, Interest b) {
    return static_cast<Interest>(static_cast<std::uint8_t>(a) & ~static_cast<std::uint8_t>(b));
}
constexpr bool any(Interest interest) {
    return interest != Interest::none;
}

}  // namespace nio
