// The system calls of lib/nio/sys/uring/Uring.cpp, which uses no functions of nio::kernel. The
// linker brings syscall() and mmap() to RingWraps.cpp, which brings those of rings to
// onRingCall() and onRingMap(). A program has them from RingPlain.cpp, which passes them on, or its
// own.
//
// Thread: the one of the run.
#pragma once

#include <sys/types.h>

#include <array>
#include <cstddef>

namespace simulation {

class Ring;

using Words = std::array<long, 6>;  // the arguments of a system call

// How many arguments it has; 0: it is none of a ring.
std::size_t wordsOf(long number);
// What it returns, or minus an errno.
long ringCall(long number, const Words& words);
// Null: it is none.
Ring* ringAt(int fd);

// What the program gets to see: minus an errno, or null, where it fails.
long onRingCall(long number, const Words& words);
void* onRingMap(Ring& ring, std::size_t bytes, off_t offset);

}  // namespace simulation
