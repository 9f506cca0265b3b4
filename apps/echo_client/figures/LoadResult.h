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

struct LoadResult {
    LoadFigures total;
    nio::Clock::duration warmup{0};  // load before the measured time
    nio::Clock::duration measured{0};
    double offered = 0;  // open loop: the mean planned rate of the measured time, per second
    bool openLoop = false;
    bool interrupted = false;
    std::vector<Point> series;
    std::vector<DispatcherLoad> dispatchers;  // of the time with load
    std::string server;                       // the address
    std::string selector;                     // "epoll"
    std::optional<ServerUse> serverUse;       // --server-pid, and it ran until the end

    double seconds() const { return std::chrono::duration<double>(measured).count(); }
    double perSecond() const;
    double megabytesPerSecond() const;
    // Open loop: why the generator, not the server, decided the result. Empty: it did not.
    // More than 1 % of the messages more than 1 ms late, or a dispatcher over 90 % busy.
    std::string saturation() const;
    // What the reader should know of a result that stands: that the generator stood still; in a
    // closed loop, that a dispatcher was over 90 % busy. Empty: nothing.
    std::string remark() const;
    // "the generator stood still for 2.1 s"; empty: it did not.
    std::string standstill() const;
};

}  // namespace load
