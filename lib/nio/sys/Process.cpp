#include <nio/sys/Process.h>

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <sstream>

#include <nio/sys/Kernel.h>
#include <nio/sys/SystemError.h>

namespace nio::kernel {

constinit std::atomic<std::uint32_t> forks{0};

namespace {

void forked() {
    forks.fetch_add(1, std::memory_order_relaxed);
}

[[maybe_unused]] const int registered = ::pthread_atfork(nullptr, nullptr, forked);

constexpr std::size_t noLimit = SIZE_MAX;

// A number of bytes; "max" or a missing file means no limit.
std::size_t limitIn(const std::string& path) {
    std::ifstream file(path);
    std::size_t bytes = noLimit;
    return file >> bytes ? bytes : noLimit;
}

// The least limit of the group at `path` and its ancestors. In a container the ancestors are not
// visible, and the mount may start at its own group.
std::size_t leastUpwards(const std::string& mount, std::string path, const char* file) {
    std::size_t least = limitIn(mount + "/" + file);
    while (path.size() > 1) {
        least = std::min(least, limitIn(mount + path + "/" + file));
        path.resize(path.rfind('/'));
    }
    return least;
}

std::size_t machineMemory() {
    const long pages = ::sysconf(_SC_PHYS_PAGES);
    const long pageBytes = ::sysconf(_SC_PAGESIZE);
    if (pages <= 0 || pageBytes <= 0) return noLimit;
    return static_cast<std::size_t>(pages) * static_cast<std::size_t>(pageBytes);
}

std::string contentsOf(const char* path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

}  // namespace

std::uint64_t threadNumber() noexcept {
    static constinit std::atomic<std::uint64_t> last{0};
    static constinit thread_local std::uint64_t mine = 0;
    if (mine == 0) mine = last.fetch_add(1, std::memory_order_relaxed) + 1;
    return mine;
}

int processId() noexcept {
    return ::getpid();
}

bool isProcessThere(int id) noexcept {
    return ::kill(id, 0) == 0 || errno != ESRCH;
}

Result<void> renewEvent(int fd) {
    const Result<UniqueFd> fresh = createEvent();
    if (!fresh) return fresh.error();
    return okOrError(::dup3(fresh.value().get(), fd, O_CLOEXEC), "dup3");
}

// Lines "ID:CONTROLLERS:PATH"; version 2 has one, with no controllers.
std::size_t groupMemoryLimit(const std::string& membership, const std::string& root) {
    std::size_t least = noLimit;
    std::istringstream lines(membership);
    for (std::string line; std::getline(lines, line);) {
        const std::size_t first = line.find(':');
        const std::size_t second = line.find(":/", first + 1);
        if (first == std::string::npos || second == std::string::npos) continue;
        const std::string controllers = line.substr(first + 1, second - first - 1);
        const std::string path = line.substr(second + 1);
        const bool hasMemory = ("," + controllers + ",").find(",memory,") != std::string::npos;
        if (controllers.empty()) least = std::min(least, leastUpwards(root, path, "memory.max"));
        if (!hasMemory) continue;
        least = std::min(least, leastUpwards(root + "/memory", path, "memory.limit_in_bytes"));
    }
    return least;
}

std::size_t memoryLimit() {
    return std::min(machineMemory(),
                    groupMemoryLimit(contentsOf("/proc/self/cgroup"), "/sys/fs/cgroup"));
}

}  // namespace nio::kernel
