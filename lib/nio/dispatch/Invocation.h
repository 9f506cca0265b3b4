// invokeAndWait, without the dispatcher: posts a task and waits until it has run.
//
// Thread: any but the one that runs the queue.
// Errors: waitCycle when the target waits, maybe by others, for the dispatcher whose turn is on
// this thread's stack; stopped and queueFull from the queue. The task's exception comes out here.
#pragma once

#include <nio/base/ThreadRole.h>
#include <nio/dispatch/TaskQueue.h>

namespace nio {

Result<void> runAndWaitOn(TaskQueue& queue, const DispatcherIdentity& target, Task& task);

}  // namespace nio
