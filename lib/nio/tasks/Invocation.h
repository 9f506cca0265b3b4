// invokeAndWait, without the dispatcher: posts a task and waits until it has run.
//
// Thread: any but the one that runs the queue.
// Errors: waitCycle when the target waits, maybe by others, for the dispatcher whose turn is on
// this thread's stack; stopped and queueFull from the queue; threadEnded when the task has ended
// its thread; timedOut and cancelled from the limits. The task's exception comes out here.
#pragma once

#include <chrono>

#include <nio/base/ThreadRole.h>
#include <nio/tasks/Completion.h>
#include <nio/tasks/TaskQueue.h>

namespace nio {

// `spin`: for so long it looks whether the task has run, before it sleeps; not with limits.
Result<void> runAndWaitOn(TaskQueue& queue, const DispatcherIdentity& target, Task& task,
                          std::chrono::nanoseconds spin, const WaitLimits& limits = {});

}  // namespace nio
