// What a run of ESMEs measures: from the end of the warm-up to the last message that is sent, and,
// for what it is charged with, to the last answer or receipt.
//
// Thread: one at a time, always the same: its own CPU time is that thread's.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include <nio/sys/Clock.h>

#include "smpp_bench/esme/EsmeFigures.h"

namespace smppbench {

// CPU time that a process has used so far, user and system together, in ticks of 10 ms or so.
// Nothing if there is no such process. Thread: any. Source: proc(5), /proc/PID/stat.
std::optional<std::chrono::nanoseconds> cpuTimeOf(int pid);

class Measurement {
  public:
    // `server`: the process whose CPU time counts.
    void begin(const EsmeFigures& figures, std::uint64_t receipts, std::optional<int> server);
    bool isOn() const { return isOn_; }
    // Sets EsmeFigures::measured: nothing if it has not begun.
    void end(EsmeFigures& figures, std::uint64_t receipts);
    // Sets charged, serverCpu and ownCpu if it has begun.
    void charge(EsmeFigures& figures, std::uint64_t receipts) const;

  private:
    Part sinceStart(const EsmeFigures& figures, std::uint64_t receipts) const;
    std::optional<std::chrono::nanoseconds> serverCpuNow() const;

    bool isOn_ = false;
    std::optional<int> server_;
    // The counters when it began.
    std::optional<nio::TimePoint> began_;
    std::uint64_t answered_ = 0;
    std::uint64_t receipts_ = 0;
    std::optional<std::chrono::nanoseconds> serverCpu_;
    std::chrono::nanoseconds ownCpu_{0};
};

}  // namespace smppbench
