// I/O statistics of the channels of one dispatcher. The numbers never decrease.
//
// Thread: written by the dispatcher's own; read by any.
#pragma once

#include <cstdint>

#include <nio/base/Published.h>

namespace nio {

struct IoCounters {
    Published<std::uint64_t> bytesIn;   // returned by receive()
    Published<std::uint64_t> bytesOut;  // accepted by the kernel
    // Accepted by the engine, at the time of the call. If the kernel later accepts only a part, the
    // rest is handed over, and counted, again.
    Published<std::uint64_t> bytesHandedOver;
    Published<std::uint64_t> receivesInVain;  // receive() would block (EAGAIN)
    Published<std::uint64_t> sendsHeldUp;     // send() would block, or was short
    Published<std::uint64_t> accepts;
};

}  // namespace nio
