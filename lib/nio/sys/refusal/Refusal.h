// Checks for system calls that an old kernel or a sandbox (seccomp) always refuses. Objects that
// need them check on construction. A check makes each call once, with arguments that have no
// effect. Simulations do not replace it.
//
// Thread: any.
// Errors: function_not_supported (ENOSYS) or operation_not_permitted (EPERM), with the name of the
// first call that is refused.
#pragma once

#include <nio/base/Result.h>

namespace nio::kernel {

// The call with which an engine waits.
enum class WaitCall { epollWait, poll, select, uringEnter };

Result<void> checkDispatcherCalls(WaitCall wait);
// The calls of Asio's timers, which ignore their failure.
Result<void> checkTimerCalls();
// The calls of a program that must open connections.
Result<void> checkConnectCalls();

}  // namespace nio::kernel
