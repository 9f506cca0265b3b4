// A lock for sections of a few instructions: one atomic exchange to lock, a plain store to unlock.
// A thread that finds it locked backs off, see Backoff.h. There is no wake-up: never block while
// holding it.
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
