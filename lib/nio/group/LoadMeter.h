// How busy dispatchers are: the share of the time in which their threads used a CPU, in the kernel
// too, since the last look. Whoever looks pays for it (a system call for each dispatcher), the
// dispatchers pay nothing.
//
// A dispatcher without a thread that runs() it (not started, stopped, turned by hand) looks as if
// it did nothing. One that spins (SelectorThreadOptions::spin) looks busy until it stops doing so,
// and less busy than it was at the look after that; the longer the window, the less it matters.
//
// Thread: any; one at a time per meter.
#pragma once

#include <chrono>
#include <span>
#include <vector>

#include <nio/group/DealingRule.h>
#include <nio/sys/Clock.h>

namespace nio {

class LoadMeter {
  public:
    // Of each dispatcher, 0 to 1. The first look finds zeros.
    const std::vector<double>& look(DealingRule::Threads threads);
    // Since the last look; for ever before the first.
    Clock::duration age() const;

  private:
    std::vector<std::chrono::nanoseconds> busy_;
    std::vector<double> shares_;
    TimePoint lookedAt_{};
};

}  // namespace nio
