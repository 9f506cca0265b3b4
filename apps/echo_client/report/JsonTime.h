// Latencies in JSON: microseconds as a number, null where there is none, and a text, "> 60 s",
// beyond the histogram's range.
//
// Thread: any.
#pragma once

#include <cmath>

#include <nlohmann/json.hpp>

#include "echo_client/figures/Units.h"

namespace load {

inline nlohmann::ordered_json jsonTime(double micros) {
    if (std::isnan(micros)) return nullptr;
    if (std::isinf(micros)) return microsWithUnit(micros);
    return micros;
}

}  // namespace load
