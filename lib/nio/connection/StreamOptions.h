// The limits of one connection. Share one object among all connections of a kind.
//
// Thread: a value, not changed once in use.
#pragma once

#include <chrono>
#include <cstddef>

#include <nio/base/Cpp20.h>

namespace nio {

struct StreamOptions {
    // High-water mark: the reads of an accepted connection pause while more output than this is
    // pending (see StreamHandler::setAutoPause), and resume below half of it, the low-water mark.
    std::size_t outputHighMark = 256 * 1024;
    // A connection with more pending output than this is aborted with outputLimit.
    std::size_t outputLimit = 16 * 1024 * 1024;
    // nio::on: reads pause while more input than this waits for the other dispatcher, or is kept
    // there, and resume below half of it. Counted as the memory that it takes.
    std::size_t crossingHighMark = 64 * 1024;
    // Closes the connection with timedOut after this much inactivity. Zero: never.
    std::chrono::milliseconds idleTimeout{0};
    // Linger timeout after closeAfterFlush(): how long to wait for the peer's FIN after ours. It
    // restarts whenever the peer accepts output.
    std::chrono::milliseconds lingerTimeout{5000};
    // Limit of all lingering together; a drain uses its own deadline instead.
    std::chrono::milliseconds lingerLimit{60'000};
    // Whether connections may migrate to another dispatcher; their protocol must support it.
    bool movable = false;
    // Packets delivered per turn and connection; the rest follows in the next turn. A pipeline
    // counts the calls of its stages that take parts, and items that were kept.
    std::size_t maxPacketsPerTurn = 256;

    std::size_t outputLowMark() const { return outputHighMark / 2; }
};

}  // namespace nio
