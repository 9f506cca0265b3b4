// The code under test, unchanged. Found on the include path, so that a planted variant can stand
// before it.

#include "model/Instrument.h"

#include <nio/base/Error.cpp>
#include <nio/base/Guarded.cpp>
#include <nio/base/ThreadRole.cpp>
#include <nio/loop/IdleWait.cpp>
#include <nio/sys/SpinLock.cpp>
#include <nio/tasks/Completion.cpp>
#include <nio/tasks/Invocation.cpp>
#include <nio/tasks/TaskList.cpp>
#include <nio/tasks/TaskQueue.cpp>
#include <nio/tasks/WaitGraph.cpp>
