#include "echo_client/figures/ProcessUse.h"

#include <time.h>
#include <unistd.h>

#include <fstream>
#include <sstream>

namespace load {

namespace {

using Duration = nio::Clock::duration;

double inSeconds(Duration time) {
    return std::chrono::duration<double>(time).count();
}

std::string pathOf(int pid, const char* name) {
    return "/proc/" + std::to_string(pid) + "/" + name;
}

std::optional<Duration> cpuClockOf(int pid) {
    clockid_t clock{};
    timespec time{};
    if (::clock_getcpuclockid(pid, &clock) != 0) return std::nullopt;
    if (::clock_gettime(clock, &time) != 0) return std::nullopt;
    return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

Duration ticks(std::uint64_t count) {
    static const auto perSecond = static_cast<std::uint64_t>(::sysconf(_SC_CLK_TCK));
    return std::chrono::nanoseconds(count * (1'000'000'000 / perSecond));
}

bool readTimes(int pid, ProcessUse& use) {
    std::ifstream file(pathOf(pid, "stat"));
    std::string text;
    std::getline(file, text);
    // The name is in parentheses and may have spaces and parentheses in it.
    const std::size_t end = text.rfind(')');
    if (end == std::string::npos) return false;
    std::istringstream rest(text.substr(end + 1));
    std::string skipped;
    constexpr int fieldsBeforeUser = 11;
    for (int i = 0; i < fieldsBeforeUser; ++i) rest >> skipped;
    std::uint64_t user = 0;
    std::uint64_t system = 0;
    if (!(rest >> user >> system)) return false;
    use.user = ticks(user);
    use.system = ticks(system);
    return true;
}

// "Rss:   1234 kB", one a line.
std::optional<std::size_t> numberIn(int pid, const char* file, const std::string& name) {
    std::ifstream lines(pathOf(pid, file));
    for (std::string line; std::getline(lines, line);) {
        std::size_t value = 0;
        if (!line.starts_with(name)) continue;
        if (std::istringstream(line.substr(name.size())) >> value) return value;
    }
    return std::nullopt;
}

}  // namespace

std::optional<ProcessUse> ProcessUse::of(int pid) {
    ProcessUse use;
    use.at = nio::Clock::now();
    const auto cpu = cpuClockOf(pid);
    if (!cpu || !readTimes(pid, use)) return std::nullopt;
    use.cpu = *cpu;
    use.threads = numberIn(pid, "status", "Threads:").value_or(0);
    use.residentKib = numberIn(pid, "smaps_rollup", "Rss:");
    use.privateDirtyKib = numberIn(pid, "smaps_rollup", "Private_Dirty:");
    return use;
}

double ServerUse::seconds() const {
    return inSeconds(to.at - from.at);
}

double ServerUse::cpuSeconds() const {
    return inSeconds(to.cpu - from.cpu);
}

double ServerUse::microsPerEcho(double perSecond) const {
    const double echoes = perSecond * seconds();
    return echoes > 0 ? cpuSeconds() * 1e6 / echoes : 0;
}

double ServerUse::userPart() const {
    const double user = inSeconds(to.user - from.user);
    const double both = user + inSeconds(to.system - from.system);
    return both > 0 ? user / both : 0;
}

}  // namespace load
