#include "echo_client/figures/HostFacts.h"

#include <sched.h>
#include <sys/utsname.h>

#include <fstream>
#include <thread>

#include <nio/sys/Kernel.h>

namespace load {

namespace {

std::string firstLineOf(const char* path) {
    std::ifstream file(path);
    std::string line;
    std::getline(file, line);
    return line;
}

// ARM's has no model's name.
std::string cpuModel() {
    std::ifstream file("/proc/cpuinfo");
    for (std::string line; std::getline(file, line);) {
        const std::size_t colon = line.find(": ");
        if (line.starts_with("model name") && colon != std::string::npos) {
            return line.substr(colon + 2);
        }
    }
    return "";
}

std::size_t usableCpus() {
    cpu_set_t set;
    CPU_ZERO(&set);
    // More CPUs than the set can hold.
    if (::sched_getaffinity(0, sizeof set, &set) != 0) return std::thread::hardware_concurrency();
    return static_cast<std::size_t>(CPU_COUNT(&set));
}

}  // namespace

HostFacts HostFacts::ofThisMachine() {
    HostFacts facts;
    utsname names{};
    if (::uname(&names) == 0) {
        facts.kernel = std::string(names.sysname) + " " + names.release;
        facts.machine = names.machine;
    }
    facts.cpu = cpuModel();
    facts.cpus = usableCpus();
    facts.descriptors = nio::kernel::descriptorLimit();
    facts.somaxconn = firstLineOf("/proc/sys/net/core/somaxconn");
    facts.governor = firstLineOf("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
    return facts;
}

}  // namespace load
