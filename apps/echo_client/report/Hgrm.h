// A histogram in the percentile format of HdrHistogram, as its plotter reads it: values in
// milliseconds, five lines for each halving of what is left to 100 %.
//
// Thread: any.
#pragma once

#include <string>

#include "echo_client/figures/LatencyHistogram.h"

namespace load {

std::string toHgrm(const LatencyHistogram& histogram);

}  // namespace load
