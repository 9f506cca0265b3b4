// Backoff for polling a value that another thread will change soon: first relax the CPU (the change
// is tens of nanoseconds away), then yield (the other thread may need this CPU), then sleep briefly
// (the other thread may have a lower priority).
//
// Thread: one; a value for one wait.
#pragma once

#include <nio/base/Cpp20.h>

namespace nio {

// Tells the CPU that this is a spin-wait loop: for some tens of cycles the sibling hyper-thread
// gets the execution units, and power is saved.
inline void relax() noexcept {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__) || defined(__arm__)
    asm volatile("yield" ::: "memory");
#else
    asm volatile("" ::: "memory");
#endif
}

class Backoff {
  public:
    void pause() noexcept;

  private:
    int attempt_ = 0;
};

}  // namespace nio
