// invokeAndWait, without the dispatcher: posts a task and waits until it has run.
//
// Thread: any but the one that runs the queue.
// Errors: waitCycle if the target waits, directly or through others, for the dispatcher whose turn
// is on this thread's stack; stopped and queueFull from the queue; threadEnded if the task ended
// its thread; timedOut and cancelled from the limits. Rethrows the task's exception.
#pragma once

#include <chrono>

#include <nio/base/ThreadRole.h>
#include <nio/tasks/Completion.h>
#include <nio/tasks/TaskQueue.h>

namespace nio {

// Busy-polls for `spin` before it sleeps; without effect if there are limits.
Result<void> runAndWaitOn(TaskQueue& queue, const DispatcherIdentity& target, Task& task,
                          std::chrono::nanoseconds spin, const WaitLimits& limits = {});

}  // namespace nio
