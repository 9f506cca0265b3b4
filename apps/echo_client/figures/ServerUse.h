// What the server's process used for a load: --server-pid.
//
// Thread: any; a value.
#pragma once

#include "echo_client/figures/ProcessUse.h"

namespace load {

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
