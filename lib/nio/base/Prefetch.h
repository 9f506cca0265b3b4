// Prefetches memory that will be used soon. With thousands of connections the state of the next one
// is rarely in the cache.
//
// Thread: any. A hint: every address is allowed.
#pragma once

#include <cstddef>

#include <nio/base/Cpp20.h>

namespace nio {

// Prefetches `bytes` bytes from `address` on, to be written.
inline void prefetch([[maybe_unused]] const void* address, [[maybe_unused]] std::size_t bytes) {
#if defined(__GNUC__)
    constexpr std::size_t cacheLine = 64;
    const char* const begin = static_cast<const char*>(address);
    for (std::size_t i = 0; i < bytes; i += cacheLine) __builtin_prefetch(begin + i, 1);
    __builtin_prefetch(begin + bytes - 1, 1);
#endif
}

}  // namespace nio
