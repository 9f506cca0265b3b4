// How many threads of a process have a timer slack of 1 ns: dispatchers with moderation set it.
// Empty where the system does not tell, as Linux does not without CAP_SYS_NICE.
//
// Thread: any.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <thread>

#include "support/Process.h"

namespace support {

inline std::optional<std::size_t> preciseThreads(pid_t pid) {
    std::error_code gone;
    std::size_t count = 0;
    const std::filesystem::path tasks = "/proc/" + std::to_string(pid) + "/task";
    for (const auto& task : std::filesystem::directory_iterator(tasks, gone)) {
        std::ifstream file("/proc/" + task.path().filename().string() + "/timerslack_ns");
        unsigned long slack = 0;
        if (file >> slack) {
            count += slack == 1;
        } else if (std::filesystem::exists(task.path())) {
            return std::nullopt;  // it has not just ended
        }
    }
    return gone ? std::nullopt : std::optional(count);
}

// Waits until there are as many: a dispatcher begins behind the line that says where it listens.
inline bool comesToPreciseThreads(pid_t pid, std::size_t count) {
    const nio::TimePoint end = nio::Clock::now() + Process::patience;
    while (preciseThreads(pid) != count && nio::Clock::now() < end) {
        std::this_thread::yield();
    }
    return preciseThreads(pid) == count;
}

}  // namespace support
