// Tells the CPU that this is a loop that waits: some tens of cycles in which its sibling gets the
// execution units, and less power is used.
//
// Thread: any.
#pragma once

#include <nio/base/Cpp20.h>

namespace nio {

inline void relax() noexcept {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__) || defined(__arm__)
    asm volatile("yield" ::: "memory");
#else
    asm volatile("" ::: "memory");
#endif
}

}  // namespace nio
