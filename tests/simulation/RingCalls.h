// The system calls of lib/nio/sys/Uring.cpp, which has no functions of nio::kernel in between: the
// linker brings syscall() and mmap() to whoever defines __wrap_syscall and __wrap_mmap
// (RingWraps.cpp), and that to the simulated rings.
//
// Thread: the one of the run.
#pragma once

#include <sys/types.h>

#include <array>
#include <cstddef>

namespace simulation {

class Ring;

using Words = std::array<long, 6>;  // the arguments of a system call

bool isRingCall(long number);
// What it returns, or minus an errno.
long ringCall(long number, const Words& words);
// Null: it is none.
Ring* ringAt(int fd);

}  // namespace simulation
