// One run of --find-max.
//
// Thread: any; a value.
#pragma once

#include <string>

#include "echo_client/figures/LoadResult.h"
#include "echo_client/options/Requirement.h"

namespace load {

struct SearchStep {
    double rate = 0;      // planned, per second
    double achieved = 0;  // answered, per second
    std::string found;    // "p99 = 1.20 ms"
    bool held = false;
    std::string obstacle;  // why not, if not for the requirement: errors, saturation, rate missed
    bool generatorsFault = false;  // it was saturated

    static SearchStep of(const Requirement& requirement, double rate, const LoadResult& result);
};

}  // namespace load
