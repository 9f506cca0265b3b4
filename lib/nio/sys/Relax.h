// Tells the CPU that this is a spin-wait loop: for some tens of cycles the sibling hyper-thread
// gets the execution units, and power is saved.
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
