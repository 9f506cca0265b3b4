// A lock for sections of a few instructions: taking it is one atomic exchange, giving it back a
// plain store. Who finds it taken backs off, see Backoff.h. Nobody is told when it is free: hold it
// across nothing that waits.
//
// Thread: any.
#pragma once

#include <atomic>

#include <nio/base/Cpp20.h>

namespace nio {

class SpinLock {
  public:
    void lock() noexcept {
        if (taken_.exchange(true, std::memory_order_acquire)) wait();
    }
    void unlock() noexcept { taken_.store(false, std::memory_order_release); }

  private:
    void wait() noexcept;

    std::atomic<bool> taken_{false};
};

}  // namespace nio
