// Writes to a descriptor that may be blocked (a full pipe, a stopped terminal) without waiting for
// its reader longer than the caller allows, and without setting O_NONBLOCK: the descriptor may be
// shared with other processes. Not a part of Kernel.h: no simulation stands in for it.
//
// Thread: any; in a signal handler too. errno is left as it was.
#pragma once

#include <cstddef>

#include <nio/base/Cpp20.h>

namespace nio::kernel {

struct BoundedWrite {
    std::size_t bytes = 0;   // written
    bool isBlocked = false;  // the time was over; false with fewer bytes: the write failed
};

// Waits for `milliseconds` in all at most; 0 does not wait. Up to 4,096 bytes are one write, but
// for those of more than 128 bytes to a terminal, which may take a part of them.
BoundedWrite writeWithin(int fd, const char* bytes, std::size_t size, int milliseconds) noexcept;

}  // namespace nio::kernel
