// Prefetches memory that will be used soon. With thousands of connections the state of the next one
// is rarely in the cache.
//
// Thread: any. A hint: every address is allowed.
#pragma once

#include <cstddef>
#include <cstdint>

#include <nio/base/Cpp20.h>

namespace nio {

// Prefetches `bytes` bytes from `address` on, to be written.
inline void prefetch([[maybe_unused]] const void* address, [[maybe_unused]] std::size_t bytes) {
#if defined(__GNUC__)
    constexpr std::size_t cacheLine = 64;
    // A pointer must not leave its object, a number may.
    const auto begin = reinterpret_cast<std::uintptr_t>(address);
    const auto fetch = [](std::uintptr_t at) {
        __builtin_prefetch(reinterpret_cast<const void*>(at), 1);
    };
    for (std::size_t i = 0; i < bytes; i += cacheLine) fetch(begin + i);
    fetch(begin + bytes - 1);
#endif
}

}  // namespace nio
