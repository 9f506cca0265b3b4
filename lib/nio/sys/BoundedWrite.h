// Writes to a descriptor that may block (a full pipe, a stopped terminal), with a timeout, and
// without setting O_NONBLOCK, since the descriptor may be shared with other processes. Not a part
// of Kernel.h: simulations do not replace it.
//
// Thread: any; async-signal-safe. Preserves errno.
#pragma once

#include <cstddef>

#include <nio/base/Cpp20.h>

namespace nio::kernel {

struct BoundedWrite {
    std::size_t bytes = 0;   // written
    bool isBlocked = false;  // timed out; false with fewer bytes: the write failed
};

// Waits at most `milliseconds` in total; 0 does not wait. Up to 4,096 bytes are one write, except
// for more than 128 bytes to a terminal, which may accept a part.
BoundedWrite writeWithin(int fd, const char* bytes, std::size_t size, int milliseconds) noexcept;

}  // namespace nio::kernel
