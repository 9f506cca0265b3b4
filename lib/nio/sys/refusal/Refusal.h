// System calls that an old kernel or a sandbox (seccomp) refuses for ever. What cannot do without
// them checks them when it is made. A check makes each call once, with arguments that have no
// effect. Simulations do not replace it.
//
// Thread: any.
// Errors: function_not_supported (ENOSYS) or operation_not_permitted (EPERM), with the name of the
// first call that is refused.
#pragma once

#include <nio/base/Result.h>

namespace nio::kernel {

// With what an engine waits.
enum class WaitCall { epollWait, poll, select, uringEnter };

Result<void> checkDispatcherCalls(WaitCall wait);
// Of Asio's timers, which ignore that these fail.
Result<void> checkTimerCalls();
// Of a program that is of no use without connections to others.
Result<void> checkConnectCalls();

}  // namespace nio::kernel
