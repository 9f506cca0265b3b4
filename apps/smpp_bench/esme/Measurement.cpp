#include "smpp_bench/esme/Measurement.h"

#include <unistd.h>

#include <fstream>
#include <sstream>
#include <string>

#include <nio/sys/Kernel.h>

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

void Measurement::begin(const EsmeFigures& figures, std::uint64_t receipts,
                        std::optional<int> server) {
    isOn_ = true;
    server_ = server;
    began_ = nio::Clock::now();
    answered_ = figures.answered;
    receipts_ = receipts;
    serverCpu_ = serverCpuNow();
    ownCpu_ = nio::kernel::threadCpuTime();
}

void Measurement::end(EsmeFigures& figures, std::uint64_t receipts) {
    figures.measured = isOn_ ? sinceStart(figures, receipts) : Part{};
    isOn_ = false;
}

void Measurement::charge(EsmeFigures& figures, std::uint64_t receipts) const {
    if (!began_) return;
    figures.charged = sinceStart(figures, receipts);
    const auto serverCpu = serverCpuNow();
    if (serverCpu && serverCpu_) figures.serverCpu = *serverCpu - *serverCpu_;
    figures.ownCpu = nio::kernel::threadCpuTime() - ownCpu_;
}

Part Measurement::sinceStart(const EsmeFigures& figures, std::uint64_t receipts) const {
    return {nio::Clock::now() - *began_, figures.answered - answered_, receipts - receipts_};
}

std::optional<std::chrono::nanoseconds> Measurement::serverCpuNow() const {
    if (!server_) return std::nullopt;
    return cpuTimeOf(*server_);
}

}  // namespace smppbench
