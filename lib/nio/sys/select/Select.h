// select(2), for SelectSelector. Simulations do not replace it.
//
// Thread: any.
// Errors: as the manual page says; an interrupted wait returns no event.
#pragma once

#include <sys/select.h>

#include <cstddef>

#include <nio/sys/Kernel.h>

namespace nio::kernel {

// Descriptors from this number on do not fit into a set.
constexpr int selectLimit = FD_SETSIZE;

// Waits for the descriptors below `end` that are in the sets, and leaves the ready ones in. Returns
// how many bits are left.
Result<std::size_t> waitSelect(int end, fd_set& input, fd_set& output, fd_set& exceptional,
                               WaitTime wait);

}  // namespace nio::kernel
