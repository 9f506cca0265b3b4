// All that is known when a load is over: what every form of the results is made from.
//
// Thread: any; a value.
#pragma once

#include <string>
#include <vector>

#include "echo_client/figures/HostFacts.h"
#include "echo_client/figures/LoadResult.h"
#include "echo_client/options/LoadOptions.h"
#include "echo_client/verdict/RateSearch.h"
#include "echo_client/verdict/Verdict.h"

namespace load {

struct LoadReport {
    LoadOptions options;
    LoadResult result;  // with --repeat the run of median throughput, with --find-max the best
    LoadErrors errors;  // of all runs, also of those that nothing else here is about
    bool interrupted = false;  // likewise
    Verdict verdict;
    HostFacts host;
    std::string began;                // 2026-01-31T12:00:00Z
    std::vector<LoadResult> repeats;  // --repeat: all runs, in order
    std::vector<SearchStep> search;   // --find-max: all runs, in order

    // Why the generator, not the server, decided the result. Not empty where exit code 5 says so.
    std::string invalidBecause() const {
        const std::string saturation = result.saturation();
        if (!saturation.empty()) return saturation;
        return verdict.exitCode == exitSaturated ? verdict.complaint : "";
    }
};

}  // namespace load
