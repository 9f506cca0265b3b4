// What one worker has counted since it last handed its figures over, or the sum of such.
//
// Thread: one at a time; a value.
#pragma once

#include <nio/sys/Clock.h>

#include "echo_client/LatencyHistogram.h"
#include "echo_client/LoadErrors.h"

namespace load {

struct LoadFigures {
    bool measured = false;            // or before or after the measured time
    nio::Clock::duration covered{0};  // how much of the measured time
    LatencyHistogram latency;         // one for each echo
    LatencyHistogram connect;         // one for each connection made
    LoadErrors errors;
};

}  // namespace load
