// What a dispatcher counts about itself, as it was a moment ago: SelectorThread::metrics().
//
// Counts and times are totals since construction, unless marked "now". The dispatcher goes on while
// they are read one after the other, so two of them may be from different moments. docs/metrics.md
// explains their use.
//
// Thread: a value.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <string>

#include <nio/base/Histogram.h>
#include <nio/observe/CloseReason.h>

namespace nio {

struct DispatcherMetrics {
    std::string dispatcher;

    std::uint64_t turns = 0;
    std::uint64_t events = 0;  // channels that were found ready
    Histogram eventsPerTurn;
    // Idle time: in select, sleeping or busy-polling. The rest of the time it was busy.
    std::chrono::nanoseconds selectTime{0};
    // Of handlers and deadlines. All callbacks of a channel for one event count as one.
    Histogram callbackTimes;  // nanoseconds
    std::chrono::nanoseconds callbackTime{0};

    std::uint64_t tasks = 0;
    std::chrono::nanoseconds taskTime{0};
    std::size_t tasksWaiting = 0;    // now
    std::uint64_t tasksDropped = 0;  // for channels that were closed
    Histogram taskDelays;            // nanoseconds: of the oldest task of each batch
    std::chrono::nanoseconds taskDelay{0};

    std::size_t deadlines = 0;  // set now
    std::uint64_t deadlinesExpired = 0;

    std::size_t connections = 0;  // now
    std::uint64_t accepts = 0;
    std::array<std::uint64_t, closeReasons> closes{};  // of StreamHandlers, by CloseReason

    std::uint64_t bytesIn = 0;
    std::uint64_t bytesOut = 0;
    std::uint64_t receivesInVain = 0;
    std::uint64_t sendsHeldUp = 0;  // the kernel did not take all
    // Now, in whole chunks: pending output and kept input.
    std::uint64_t bufferedBytes = 0;

    std::uint64_t closesFor(CloseReason reason) const {
        return closes[static_cast<std::size_t>(reason)];
    }
};

}  // namespace nio
