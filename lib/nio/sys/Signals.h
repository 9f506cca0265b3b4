// Signal masks of threads, crash handlers, and async-signal-safe helpers. Not a part of Kernel.h:
// simulations do not replace it.
//
// Thread: any. Functions documented as async-signal-safe may be called in a signal handler.
#pragma once

#include <nio/base/Cpp20.h>

namespace nio::kernel {

// Blocks all signals in the calling thread: signals to the process go to other threads.
void blockAllSignals() noexcept;

using SignalFunction = void (*)(int signal);

// Calls the function, in the signal handler, on the first crash of the process (SIGSEGV, SIGBUS,
// SIGILL, SIGFPE, SIGABRT). Then the previous action runs.
void onCrash(SignalFunction function) noexcept;
// An alternate stack for that handler, for a thread that overflows its stack: without one the
// process ends without calling the handler. Not installed if there is no crash handler, if the
// thread has an alternate stack already (a sanitizer's), or if memory runs out.
//
// Thread: the one that uses the stack.
class CrashStack {
  public:
    CrashStack() noexcept;
    CrashStack(const CrashStack&) = delete;
    CrashStack& operator=(const CrashStack&) = delete;
    ~CrashStack();

  private:
    void* memory_ = nullptr;
};

// Calls the function, in the signal handler, when the signal is caught. Restartable system calls
// are restarted.
void onSignal(int signal, SignalFunction function) noexcept;

// Async-signal-safe. Opens for appending; creates the file with mode 0640 if it does not exist. -1:
// it cannot be opened, is a symbolic link, or is a pipe without a reader.
int openToAppend(const char* path) noexcept;
// Async-signal-safe.
void closeWritten(int fd) noexcept;

}  // namespace nio::kernel
