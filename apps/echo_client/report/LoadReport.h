// All that is known when a load is over: what every form of the results is made from.
//
// Thread: any; a value.
#pragma once

#include <string>
#include <vector>

#include "echo_client/figures/HostFacts.h"
#include "echo_client/figures/LoadResult.h"
#include "echo_client/options/LoadOptions.h"
#include "echo_client/verdict/Verdict.h"

namespace load {

// One run of --find-max.
struct SearchStep {
    double rate = 0;      // planned, per second
    double achieved = 0;  // answered, per second
    std::string found;    // "p99 = 1.20 ms"
    bool held = false;
    std::string obstacle;  // why not, if not for the requirement: errors, saturation, rate missed
    bool generatorsFault = false;  // it was saturated
};

struct LoadReport {
    LoadOptions options;
    LoadResult result;  // with --repeat the run of median throughput, with --find-max the best
    Verdict verdict;
    HostFacts host;
    std::string began;                // 2026-01-31T12:00:00Z
    std::vector<LoadResult> repeats;  // --repeat: all runs, in order
    std::vector<SearchStep> search;   // --find-max: all runs, in order
};

}  // namespace load
