// Processes that were forked, and what one needs whose dispatchers were made before. Not a part of
// Kernel.h: no simulation stands in for it.
//
// Thread: any.
#pragma once

#include <atomic>
#include <cstdint>

#include <nio/base/Result.h>

namespace nio::kernel {

extern std::atomic<std::uint32_t> forks;

// How many times fork() made a copy on the way to this process, since the library was loaded: an
// object that finds another number than the one it was made with is a copy.
inline std::uint32_t forkCount() noexcept {
    return forks.load(std::memory_order_relaxed);
}

int processId() noexcept;  // in a signal handler too
// Also one that has ended and was not waited for yet.
bool isProcessThere(int id) noexcept;

// Puts a new event in the place of one that the processes share, under the same number.
Result<void> renewEvent(int fd);

}  // namespace nio::kernel
