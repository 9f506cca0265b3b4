// Asks for memory that will be needed in a moment, so that it is near by then. With thousands of
// connections the state of the next one is seldom in the cache.
//
// Thread: any. A hint: every address is allowed.
#pragma once

namespace nio {

inline void prefetch([[maybe_unused]] const void* address) {
#if defined(__GNUC__)
    __builtin_prefetch(address, 1);
#endif
}

}  // namespace nio
