// What the system knows of a process.
//
// Thread: any. Errors: -1 once the process is gone.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace router::scenarios {

// Memory that is its own, not of a file, and in use.
inline long anonymousKiB(pid_t pid) {
    std::ifstream file("/proc/" + std::to_string(pid) + "/status");
    const std::string name = "RssAnon:";
    for (std::string line; std::getline(file, line);) {
        if (line.starts_with(name)) return std::stol(line.substr(name.size()));
    }
    return -1;
}

inline long openDescriptors(pid_t pid) {
    std::error_code gone;
    const std::filesystem::directory_iterator all("/proc/" + std::to_string(pid) + "/fd", gone);
    return gone ? -1 : static_cast<long>(std::distance(begin(all), end(all)));
}

}  // namespace router::scenarios
