// CPU time and memory that the kernel reports of a process on this machine.
//
// Thread: any; values.
#pragma once

#include <cstddef>
#include <optional>

#include <nio/sys/Clock.h>

namespace load {

// Until now.
struct ProcessUse {
    nio::TimePoint at{};
    nio::Clock::duration cpu{0};  // its CPU clock: nanoseconds, of all its threads
    // From the ticks of the kernel's clock, so that short times are rough.
    nio::Clock::duration user{0};
    nio::Clock::duration system{0};
    std::size_t threads = 0;
    // Absent where reading them is not permitted: of another user's process.
    std::optional<std::size_t> residentKib{};
    std::optional<std::size_t> privateDirtyKib{};  // written pages that are its own alone

    // Absent if there is no such process or no /proc. Reads the times together and first, then
    // the memory, which may take some milliseconds.
    static std::optional<ProcessUse> of(int pid);
};

// What the server's process used during a load: --server-pid.
struct ServerUse {
    ProcessUse before;  // the first connection
    ProcessUse from;    // soon after the measured time began
    ProcessUse to;      // soon before it ended

    double seconds() const;  // between the last two
    double cpuSeconds() const;
    // CPU time of one echo, in microseconds, where `perSecond` came back; 0 where none did.
    double microsPerEcho(double perSecond) const;
    // The part of that in user mode: the CPU clock knows how much in all, the ticks which part.
    double userPart() const;
};

}  // namespace load
