// The limits of one connection. Share one object among all connections of a kind.
//
// Thread: a value, not changed once in use.
#pragma once

#include <chrono>
#include <cstddef>

#include <nio/base/Cpp20.h>

namespace nio {

struct StreamOptions {
    // The high-water mark: when more than this waits for the kernel, this connection's reading
    // pauses (see StreamHandler::setAutoPause); it goes on below half of it, the low-water mark.
    std::size_t outputHighMark = 256 * 1024;
    // A connection whose output grows over this is aborted with outputLimit.
    std::size_t outputLimit = 16 * 1024 * 1024;
    // No byte in or out for so long ends the connection with timedOut. Zero: never.
    std::chrono::milliseconds idleTimeout{0};
    // closeAfterFlush: the peer's end of stream is awaited for so long after our FIN, and on as
    // long as it takes some of the output in each such time.
    std::chrono::milliseconds lingerTimeout{5000};
    // But not longer than this in all; a drain has its deadline instead.
    std::chrono::milliseconds lingerLimit{60'000};
    // Whether connections may be moved to another dispatcher: their protocol must cope with it.
    bool movable = false;
    // PacketChannel: packets delivered per turn and channel; the rest follows in the next turn.
    std::size_t maxPacketsPerTurn = 256;

    std::size_t outputLowMark() const { return outputHighMark / 2; }
};

}  // namespace nio
