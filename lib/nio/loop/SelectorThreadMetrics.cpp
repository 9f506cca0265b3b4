// The part of SelectorThread that tells how it is.
#include <nio/channel/ChannelIo.h>
#include <nio/loop/SelectorThread.h>

namespace nio {

DispatcherMetrics SelectorThread::metrics() const {
    DispatcherMetrics now;
    now.dispatcher = name();
    meter_.read(now);
    now.tasks = queue_->tasksRun();
    now.tasksWaiting = queue_->depth();
    now.taskDelays = queue_->delays().read();
    now.taskDelay = std::chrono::nanoseconds(queue_->delaySum());
    now.tasksDropped = droppedTasks();
    now.deadlines = deadlines_.published();
    now.connections = connectionCount();
    const IoCounters& io = selector_->io().counters();
    now.accepts = io.accepts.read();
    now.bytesIn = io.bytesIn.read();
    now.bytesOut = io.bytesOut.read();
    now.receivesInVain = io.receivesInVain.read();
    now.sendsHeldUp = io.sendsHeldUp.read();
    now.bufferedBytes = memory_.bytes();
    return now;
}

}  // namespace nio
