// What one worker has counted since it last handed its figures over, or the sum of such.
//
// A message is measured if it belongs to the measured time: in a closed loop when it was answered
// within it, in an open loop when it was planned for it, whenever the answer came.
//
// Thread: one at a time; a value.
#pragma once

#include <cstdint>

#include <nio/sys/Clock.h>

#include "common/LatencyHistogram.h"
#include "echo_client/figures/LoadErrors.h"
#include "echo_client/figures/Outages.h"

namespace load {

using apps::LatencyHistogram;

struct LoadFigures {
    // Of the measured messages, but for `outside`.
    LatencyHistogram latency;   // from sent (closed loop) or planned (open loop) to answered
    LatencyHistogram service;   // open loop: from sent to answered
    LatencyHistogram lateness;  // open loop: from planned to sent, where the generator was free to
    LatencyHistogram outside;   // like latency, but of the messages that are not measured
    std::uint64_t inTime = 0;   // answered within the measured time, whenever they were planned
    std::uint64_t bytes = 0;    // the payload of those, each way
    std::uint64_t held = 0;     // open loop: sent late since --pipeline were under way already
    std::uint64_t offline = 0;  // open loop: sent late since their connection was down
    std::uint64_t unsent = 0;   // open loop: planned, and never sent
    std::uint64_t unanswered = 0;  // planned (closed loop: sent) in the measured time, no answer

    // Of the whole time.
    LatencyHistogram connect;    // one for each connection made
    LatencyHistogram handshake;  // of TLS, one for each that was done
    std::uint64_t resumed = 0;   // of those, with a session of before
    std::uint64_t sent = 0;
    std::uint64_t answered = 0;
    std::uint64_t answeredBytes = 0;  // the payload of those, each way
    Outages outages;                  // until the reconnect; complete once the worker has finished
    std::uint64_t down = 0;           // connections that are lost and not back yet; not merged
    std::uint64_t reconnectsFailed = 0;  // attempts during them: these are no errors
    nio::Clock::duration busy{0};        // CPU time of the dispatcher, busy-polling included
    nio::Clock::duration covered{0};     // in this time
    // The longest time in which a dispatcher made no turn though it had to: the process was stopped
    // or frozen. Zero: never for long.
    nio::Clock::duration stoodStill{0};
    LoadErrors errors;

    // Open loop: so many messages were planned for the measured time.
    std::uint64_t due() const { return lateness.count() + held + offline + unsent; }
    // Of all answers; zero where there was none. The first messages of a load meet no queue, so
    // that it is what a round trip takes, however long a queue has grown since.
    LatencyHistogram::Duration roundTrip() const;
    // Times that do not fit stay at the longest: what agents tell need not be true.
    void merge(const LoadFigures& other);
};

// Neither is negative; at most the longest there is.
nio::Clock::duration sumOf(nio::Clock::duration one, nio::Clock::duration other);

}  // namespace load
