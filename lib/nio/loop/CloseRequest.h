// A close that was asked for when there was no memory for a task that begins it.
//
// Thread: put() and isThere() any; take() the dispatcher's own, once isThere().
#pragma once

#include <atomic>
#include <mutex>
#include <optional>
#include <utility>

#include <nio/loop/Drain.h>
#include <nio/sys/SpinLock.h>

namespace nio {

class CloseRequest {
  public:
    // Of several the earliest deadline counts.
    void put(const DrainOptions& options) noexcept {
        std::lock_guard lock(lock_);
        if (!options_ || options.deadline < options_->deadline) options_ = options;
        isThere_.store(true, std::memory_order_release);
    }
    bool isThere() const noexcept { return isThere_.load(std::memory_order_acquire); }
    DrainOptions take() noexcept {
        std::lock_guard lock(lock_);
        isThere_.store(false, std::memory_order_relaxed);
        return *std::exchange(options_, std::nullopt);
    }

  private:
    std::atomic<bool> isThere_{false};
    SpinLock lock_;
    std::optional<DrainOptions> options_;
};

}  // namespace nio
