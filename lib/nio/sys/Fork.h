// Detection of fork(), for dispatchers that were created before it. Not a part of Kernel.h:
// simulations do not replace it.
//
// Thread: any.
#pragma once

#include <atomic>
#include <cstdint>

#include <nio/base/Result.h>

namespace nio::kernel {

extern std::atomic<std::uint32_t> forks;

// The number of fork() calls between the process that loaded the library and this one. An object
// whose number has changed since its construction is a copy in a forked process.
inline std::uint32_t forkCount() noexcept {
    return forks.load(std::memory_order_relaxed);
}

int processId() noexcept;  // async-signal-safe
// Also true for a zombie, which has ended but was not waited for.
bool isProcessThere(int id) noexcept;

// Replaces an event shared with the parent by a new one, under the same descriptor number.
Result<void> renewEvent(int fd);

}  // namespace nio::kernel
