// What the channels of one dispatcher have moved. Each number only grows.
//
// Thread: written by the dispatcher's own; read by any.
#pragma once

#include <cstdint>

#include <nio/base/Published.h>

namespace nio {

struct IoCounters {
    Published<std::uint64_t> bytesIn;   // handed out by receive()
    Published<std::uint64_t> bytesOut;  // taken by the kernel
    // Taken by the engine: who called, and when, is known for these. Where the kernel takes them
    // later and not all, the rest is handed over, and counted here, once more.
    Published<std::uint64_t> bytesHandedOver;
    Published<std::uint64_t> receivesInVain;  // receive() found nothing
    Published<std::uint64_t> sendsHeldUp;     // the kernel took nothing, or not all
    Published<std::uint64_t> accepts;
};

}  // namespace nio
