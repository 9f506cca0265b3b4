// The code under test, unchanged. Found on the include path, so that a planted variant can stand
// before it.

#include "model/Instrument.h"

#include <nio/base/Error.cpp>
#include <nio/base/Guarded.cpp>
#include <nio/base/ThreadRole.cpp>
#include <nio/dispatch/BusyEdge.cpp>
#include <nio/dispatch/Completion.cpp>
#include <nio/dispatch/IdleWait.cpp>
#include <nio/dispatch/Invocation.cpp>
#include <nio/dispatch/TaskList.cpp>
#include <nio/dispatch/TaskQueue.cpp>
#include <nio/dispatch/WaitGraph.cpp>
#include <nio/sys/SpinLock.cpp>
#include <nio/sys/UniqueFd.cpp>
