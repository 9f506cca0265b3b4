// A second of a load, as the tests of its observers share it.
#pragma once

#include "echo_client/figures/Sample.h"

namespace load {

// 1,500 echoes of 1,000 bytes in each of 2 s, half the load done.
inline Sample halfDone() {
    using namespace std::chrono_literals;
    Sample sample;
    sample.phase = LoadPhase::measuring;
    sample.at = 5s;
    sample.interval = 2s;
    sample.percent = 50;
    sample.made = 10;
    sample.asked = 10;
    sample.answered = 3000;
    sample.bytes = 3'000'000;
    sample.latency.recordTimes(40us, 3000);
    sample.dispatchers = {{"load-1", 0.25}, {"load-2", 0.95}};
    return sample;
}

inline Sample stillConnecting() {
    Sample sample;
    sample.made = 17;
    sample.asked = 100;
    return sample;
}

}  // namespace load
