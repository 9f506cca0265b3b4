// How much memory this process may use, as far as the system says: the machine's, or less where a
// control group (a container, a service of systemd) has a limit. Asked once, at the start.
//
// Thread: any. Errors: what cannot be read sets no limit.
// Source: cgroups(7), proc(5); the kernel's cgroup-v2 documentation, memory.max.
#pragma once

#include <cstddef>
#include <string>

#include <nio/base/Cpp20.h>

namespace nio::kernel {

std::size_t memoryLimit();

// For tests: the least that the control group and those above it allow, SIZE_MAX without a limit.
// `membership`: the text of /proc/self/cgroup; `root`: where the groups are mounted.
std::size_t groupMemoryLimit(const std::string& membership, const std::string& root);

}  // namespace nio::kernel
