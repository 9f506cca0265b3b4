// Measures how busy dispatchers are: the share of the time since the last look in which their
// threads used a CPU, kernel time included. A look costs its caller a system call per dispatcher,
// and the dispatchers nothing.
//
// A dispatcher that no run() drives (not started, stopped, driven by turn()) reads as idle. One
// that busy-polls (SelectorThreadOptions::spin) reads as busy until the poll ends, and as less busy
// than it was at the next look; a longer window reduces the error.
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
    // The share of each dispatcher, 0 to 1. All zero at the first look.
    const std::vector<double>& look(DealingRule::Threads threads);
    // Time since the last look; the maximum before the first.
    Clock::duration age() const;

  private:
    std::vector<std::chrono::nanoseconds> busy_;
    std::vector<double> shares_;
    TimePoint lookedAt_{};
};

}  // namespace nio
