// Asks for memory that will be needed in a moment, so that it is near by then. With thousands of
// connections the state of the next one is seldom in the cache.
//
// Thread: any. A hint: every address is allowed.
#pragma once

#include <cstddef>

#include <nio/base/Cpp20.h>

namespace nio {

inline void prefetch([[maybe_unused]] const void* address) {
#if defined(__GNUC__)
    __builtin_prefetch(address, 1);
#endif
}

// The first `bytes` from there on.
inline void prefetch(const void* address, std::size_t bytes) {
    constexpr std::size_t cacheLine = 64;
    const char* const begin = static_cast<const char*>(address);
    for (std::size_t i = 0; i < bytes; i += cacheLine) prefetch(begin + i);
    prefetch(begin + bytes - 1);
}

}  // namespace nio
