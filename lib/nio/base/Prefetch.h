// Prefetches memory that will be used soon. With thousands of connections the state of the next one
// is rarely in the cache.
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

// Prefetches `bytes` bytes from `address` on.
inline void prefetch(const void* address, std::size_t bytes) {
    constexpr std::size_t cacheLine = 64;
    const char* const begin = static_cast<const char*>(address);
    for (std::size_t i = 0; i < bytes; i += cacheLine) prefetch(begin + i);
    prefetch(begin + bytes - 1);
}

}  // namespace nio
