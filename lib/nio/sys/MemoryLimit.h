// How much memory this process may use: the machine's, or less if a control group (a container, a
// systemd service) has a limit. Read once, at the start.
//
// Thread: any. Errors: a file that cannot be read sets no limit.
// Source: cgroups(7), proc(5); the kernel's cgroup-v2 documentation, memory.max.
#pragma once

#include <cstddef>
#include <string>

#include <nio/base/Cpp20.h>

namespace nio::kernel {

std::size_t memoryLimit();

// For tests: the least limit of the control group and its ancestors, SIZE_MAX without a limit.
// `membership`: the text of /proc/self/cgroup; `root`: the mount point of the groups.
std::size_t groupMemoryLimit(const std::string& membership, const std::string& root);

}  // namespace nio::kernel
