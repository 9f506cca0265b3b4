// What a run came to.
//
// Thread: one at a time; a value.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "echo_client/figures/LoadFigures.h"
#include "echo_client/figures/ProcessUse.h"
#include "echo_client/figures/Sample.h"

namespace load {

// The bound of the generator's own lateness: at most this share of the messages is sent later than
// this.
struct MaxLateness {
    nio::Clock::duration time = std::chrono::milliseconds(1);
    double share = 0.01;
};

struct LoadResult {
    LoadFigures total;
    nio::Clock::duration warmup{0};  // load before the measured time
    nio::Clock::duration measured{0};
    double offered = 0;  // open loop: the mean planned rate of the measured time, per second
    bool openLoop = false;
    bool busyPolls = false;  // then a dispatcher is always busy, which says nothing
    MaxLateness maxLateness;
    bool interrupted = false;
    std::vector<Point> series;
    std::vector<DispatcherLoad> dispatchers;  // of the time with load
    std::string server;                       // the address
    std::string selector;                     // "epoll"
    std::optional<ServerUse> serverUse;       // --server-pid, and it ran until the end

    double seconds() const { return std::chrono::duration<double>(measured).count(); }
    double perSecond() const;
    double megabytesPerSecond() const;
    // Why the generator may have made the times longer than the server did: it stood still; in an
    // open loop, it was later than `maxLateness` allows, or a dispatcher was over 90 % busy. The
    // latency includes that: what holds nevertheless holds. Empty: it was in time.
    std::string lateness() const;
    // What the reader should know of the result: lateness(); in a closed loop, that a dispatcher
    // was over 90 % busy. Empty: nothing.
    std::string warning() const;
    // "the generator stood still for 2.1 s"; empty: it did not.
    std::string standstill() const;
};

}  // namespace load
