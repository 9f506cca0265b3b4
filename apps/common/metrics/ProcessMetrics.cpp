#include "common/metrics/ProcessMetrics.h"

#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>

#include <nio/version.h>

namespace apps {

namespace {

struct ProcStat {
    double startTicks = 0;  // since the machine started
    double virtualBytes = 0;
    double residentPages = 0;
};

// The name in parentheses may hold anything.
std::optional<ProcStat> procStat() {
    std::ifstream file("/proc/self/stat");
    std::string line;
    std::getline(file, line);
    const std::size_t name = line.rfind(')');
    if (name == line.npos) return std::nullopt;
    std::istringstream fields(line.substr(name + 1));
    std::string skipped;
    constexpr int before = 19;  // from the state to the start time
    for (int i = 0; i < before; ++i) fields >> skipped;
    ProcStat stat;
    fields >> stat.startTicks >> stat.virtualBytes >> stat.residentPages;
    if (!fields) return std::nullopt;
    return stat;
}

std::optional<double> bootSeconds() {
    std::ifstream file("/proc/stat");
    for (std::string word; file >> word;) {
        double seconds = 0;
        if (word == "btime" && file >> seconds) return seconds;
    }
    return std::nullopt;
}

std::optional<double> openDescriptors() {
    std::error_code failed;
    double count = 0;
    for (std::filesystem::directory_iterator entry("/proc/self/fd", failed), end;
         !failed && entry != end; entry.increment(failed)) {
        ++count;
    }
    if (failed) return std::nullopt;
    return count - 1;  // the one that counts them
}

double cpuSeconds() {
    rusage usage{};
    (void)::getrusage(RUSAGE_SELF, &usage);
    const auto seconds = [](const timeval& time) {
        return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
    };
    return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

}  // namespace

void writeProcess(MetricsText& text) {
    const auto gauge = [&text](const char* name, const char* help, std::optional<double> value) {
        if (!value) return;
        text.gauge(name, help);
        text.sample({}, *value);
    };
    text.counter("process_cpu_seconds", "User and system CPU time spent, in seconds.");
    text.sample({}, cpuSeconds());
    gauge("process_open_fds", "Open file descriptors.", openDescriptors());
    rlimit limit{};
    const bool isLimited = ::getrlimit(RLIMIT_NOFILE, &limit) == 0;
    gauge("process_max_fds", "Maximum open file descriptors.",
          isLimited ? std::optional(static_cast<double>(limit.rlim_cur)) : std::nullopt);
    const auto stat = procStat();
    if (!stat) return;
    gauge("process_virtual_memory_bytes", "Virtual memory size.", stat->virtualBytes);
    gauge("process_resident_memory_bytes", "Resident memory size.",
          stat->residentPages * static_cast<double>(::sysconf(_SC_PAGESIZE)));
    if (const auto boot = bootSeconds()) {
        const auto ticks = static_cast<double>(::sysconf(_SC_CLK_TCK));
        gauge("process_start_time_seconds", "When the process started, in seconds since 1970.",
              *boot + stat->startTicks / ticks);
    }
}

void writeBuild(MetricsText& text) {
    text.gauge("nio_build_info", "Always 1; the labels say what was built, and by which compiler.");
    text.sample({{"version", nio::version}, {"compiler", __VERSION__}}, std::uint64_t{1});
}

}  // namespace apps
