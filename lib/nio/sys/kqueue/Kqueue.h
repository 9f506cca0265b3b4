// kqueue(2), for KqueueSelector: on BSD, macOS, and where a library provides <sys/event.h>.
//
// Thread: any.
// Errors: as the manual page says; an interrupted wait returns no event.
#pragma once

#include <nio/base/Cpp20.h>

#if __has_include(<sys/event.h>)
#define NIO_HAS_KQUEUE 1

#include <sys/types.h>

#include <sys/event.h>

#include <cstddef>
#include <span>

#include <nio/sys/Kernel.h>

namespace nio::kernel {

using KqueueEvent = struct kevent;

Result<UniqueFd> createKqueue();
// Returns the error of the first change that fails. Removing a filter that does not exist is not
// one.
Result<void> changeKqueue(int queue, std::span<KqueueEvent> changes);
// Returns the number of events filled in.
Result<std::size_t> waitKqueue(int queue, std::span<KqueueEvent> events, WaitTime wait);

}  // namespace nio::kernel
#else
#define NIO_HAS_KQUEUE 0
#endif
