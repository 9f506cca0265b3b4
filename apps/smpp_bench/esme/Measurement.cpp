#include "smpp_bench/esme/Measurement.h"

#include <nio/sys/Kernel.h>

#include "smpp_bench/esme/ProcessCpu.h"

namespace smppbench {

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
