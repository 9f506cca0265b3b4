// Signals of threads and crashes of the process, and the little that may be called then. Not a part
// of Kernel.h: no simulation stands in for it.
//
// Thread: any. What says so may be called in a signal handler.
#pragma once

#include <nio/base/Cpp20.h>

namespace nio::kernel {

// The calling thread takes none: signals to the process go to the others.
void blockAllSignals() noexcept;

using SignalFunction = void (*)(int signal);

// Calls it, in the signal handler, on the first crash of the process (SIGSEGV, SIGBUS, SIGILL,
// SIGFPE, SIGABRT). After that happens what would have happened without it.
void onCrash(SignalFunction function) noexcept;
// A stack for that handler while it lives, for a thread that crashes for want of stack: without one
// the process ends there and then. None where nobody wants to hear of crashes, where the thread has
// one already (a sanitizer's), and without memory.
//
// Thread: the one that it is for.
class CrashStack {
  public:
    CrashStack() noexcept;
    CrashStack(const CrashStack&) = delete;
    CrashStack& operator=(const CrashStack&) = delete;
    ~CrashStack();

  private:
    void* memory_ = nullptr;
};

// Calls it, in the signal handler, when the signal comes. Calls of the kernel that can be are begun
// again.
void onSignal(int signal, SignalFunction function) noexcept;

// In a signal handler too. For appending; created with mode 0640 if it does not exist. -1: it
// cannot be opened, is a symbolic link, or a pipe without a reader.
int openToAppend(const char* path) noexcept;
// In a signal handler too.
void closeWritten(int fd) noexcept;

}  // namespace nio::kernel
