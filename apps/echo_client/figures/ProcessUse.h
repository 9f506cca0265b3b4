// What a process of this machine has used until now: CPU time and memory, as the kernel tells them.
//
// Thread: any; a value.
#pragma once

#include <cstddef>
#include <optional>

#include <nio/sys/Clock.h>

namespace load {

struct ProcessUse {
    nio::TimePoint at{};
    nio::Clock::duration cpu{0};  // its CPU clock: nanoseconds, of all its threads
    // From the ticks of the kernel's clock, so that short times are rough.
    nio::Clock::duration user{0};
    nio::Clock::duration system{0};
    std::size_t threads = 0;
    // Absent where it may not be read: of another user's process.
    std::optional<std::size_t> residentKib{};
    std::optional<std::size_t> privateDirtyKib{};  // written pages that are its own alone

    // Absent where there is no such process, or /proc is not there. The times are looked at
    // first, and together; the memory after that, which may take some milliseconds.
    static std::optional<ProcessUse> of(int pid);
};

}  // namespace load
