#include "smpp_bench/esme/ProcessCpu.h"

#include <unistd.h>

#include <fstream>
#include <sstream>
#include <string>

namespace smppbench {

std::optional<std::chrono::nanoseconds> cpuTimeOf(int pid) {
    std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
    std::string text;
    std::getline(file, text);
    // The name is in parentheses and may have spaces and parentheses in it.
    const std::size_t end = text.rfind(')');
    if (end == std::string::npos) return std::nullopt;
    std::istringstream rest(text.substr(end + 1));
    std::string skipped;
    constexpr int fieldsBeforeUser = 11;
    for (int i = 0; i < fieldsBeforeUser; ++i) rest >> skipped;
    std::uint64_t user = 0;
    std::uint64_t system = 0;
    if (!(rest >> user >> system)) return std::nullopt;
    const auto perSecond = static_cast<std::uint64_t>(::sysconf(_SC_CLK_TCK));
    return std::chrono::nanoseconds((user + system) * (1'000'000'000 / perSecond));
}

}  // namespace smppbench
