// What a dispatcher counts about itself, as it was a moment ago: SelectorThread::metrics().
//
// All counts and times are since it was made, but for those said to be of now. The numbers are read
// one after the other while the dispatcher goes on: two of them need not fit together exactly.
// docs/metrics.md says what they are good for.
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
    // Time in select, sleeping or spinning: there was nothing to do. The rest it was busy.
    std::chrono::nanoseconds selectTime{0};
    // The callbacks of handlers and deadlines; all that a channel does for one event is one.
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
    // Now, in whole chunks: output that waits for the kernel, and input that is kept.
    std::uint64_t bufferedBytes = 0;

    std::uint64_t closesFor(CloseReason reason) const {
        return closes[static_cast<std::size_t>(reason)];
    }
};

}  // namespace nio
