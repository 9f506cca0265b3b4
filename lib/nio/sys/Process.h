// This process: whether it is a forked copy, and how much memory it may use. Not a part of
// Kernel.h: simulations do not replace it.
//
// Thread: any.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>

#include <nio/base/Result.h>

namespace nio::kernel {

extern std::atomic<std::uint32_t> forks;

// The number of fork() calls between the process that loaded the library and this one. An object
// whose number has changed since its construction is a copy in a forked process.
inline std::uint32_t forkCount() noexcept {
    return forks.load(std::memory_order_relaxed);
}

// This thread's number in this process. Never used again, unlike a std::thread::id.
std::uint64_t threadNumber() noexcept;

int processId() noexcept;  // async-signal-safe
// Also true for a zombie, which has ended but was not waited for.
bool isProcessThere(int id) noexcept;

// Replaces an event shared with the parent by a new one, under the same descriptor number.
Result<void> renewEvent(int fd);

// The memory that this process may use, in bytes: the machine's, or less if a control group (a
// container, a systemd service) has a limit. Read once. A file that cannot be read sets no limit.
// Source: cgroups(7), proc(5); the kernel's cgroup-v2 documentation, memory.max.
std::size_t memoryLimit();

// For tests: the least limit of the control group and its ancestors, SIZE_MAX without a limit.
// `membership`: the text of /proc/self/cgroup; `root`: the mount point of the groups.
std::size_t groupMemoryLimit(const std::string& membership, const std::string& root);

}  // namespace nio::kernel
