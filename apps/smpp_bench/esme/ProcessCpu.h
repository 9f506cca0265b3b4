// CPU time that a process has used so far, user and system together, in ticks of 10 ms or so.
//
// Thread: any.
// Source: proc(5), /proc/PID/stat.
#pragma once

#include <chrono>
#include <optional>

namespace smppbench {

// Nothing if there is no such process.
std::optional<std::chrono::nanoseconds> cpuTimeOf(int pid);

}  // namespace smppbench
