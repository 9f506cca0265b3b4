// The part of SelectorThread that ends it: listeners, drain, the last tasks.
#include <nio/channel/ChannelIo.h>
#include <nio/loop/SelectorThread.h>

namespace nio {

void SelectorThread::requestClose(const DrainOptions& options) {
    if (isLeftBehind()) return;
    const Result<void> asked = queue_->pushOrRefuse([this, options] {
        onDispatcher.assertCurrent();
        beginDrain(options);
    });
    // Else it has stopped already.
    if (asked || !asked.error().is(std::errc::not_enough_memory)) return;
    closeRequest_.put(options);
    queue_->nudge();
}

void SelectorThread::closeListenersLater(Task closed, const DrainOptions& options) {
    closeListenersBy(Clock::after(options.deadline), std::make_shared<Task>(std::move(closed)));
}

// Where nobody can be waited for, by the end of the time or for want of memory, that is all.
void SelectorThread::closeListenersBy(TimePoint end, std::shared_ptr<Task> closed) {
    const Result<void> asked = queue_->pushOrRefuse([this, end, closed] {
        onDispatcher.assertCurrent();
        const bool isOver = closeListeners() || Clock::now() >= end;
        isOver ? (*closed)() : closeListenersBy(end, closed);
    });
    if (!asked) (*closed)();
}

void SelectorThread::drainByNow(TimePoint when, const DrainOptions& options) {
    identity_.assertCurrent("drainByNow");
    if (drainBy_ && drainByTime_ <= when) return;
    drainBy_.emplace(deadlines_, [this, options] {
        onDispatcher.assertCurrent();
        beginDrain(options);
    });
    try {
        drainBy_->wakeAt(drainByTime_ = when);
    } catch (const std::bad_alloc&) {
        beginDrain(options);
    }
}

void SelectorThread::beginDrain(const DrainOptions& options) {
    const TimePoint end = Clock::after(options.deadline);
    if (drain_) {
        drainEnd_ = std::min(drainEnd_, end);
        return;
    }
    moves_.callBack();
    queue_->refuseConnections();
    drain_ = options;
    drainEnd_ = end;
    registry_.visitAll([&](Registration& registration) {
        onDispatcher.assertCurrent();
        barrier_.tell(registration, "handleDrain", &SelectorHandler::handleDrain, options);
    });
}

// False: one asks to be revisited. It failed with a connection, and others wait behind that.
bool SelectorThread::closeListeners() {
    bool allHaveEnded = true;
    registry_.visitAll([&](Registration& registration) {
        onDispatcher.assertCurrent();
        if (registration.kind() != Registration::Kind::accept) return;
        barrier_.tell(registration, "handleDrain", &SelectorHandler::handleDrain, DrainOptions());
        if (registration.isValid() && registration.revisitQueued) allHaveEnded = false;
    });
    return allHaveEnded;
}

// What was accepted by the queue is still run; nothing new is.
void SelectorThread::finish() {
    abortAll();
    closed_ = true;
    queue_->refuseConnections();
    queue_->close();
    while (queue_->hasWork()) {
        queue_->runBatch(SIZE_MAX, [this](PostedTask& task) {
            onDispatcher.assertCurrent();
            runTask(task);
        });
    }
    abortAll();
    moves_.forgetAway();
    memory_.retire();
    bury();
    idleTimeouts_.clear();
    deadlines_.clear();
    state_.store(State::stopped, std::memory_order_release);
}

void SelectorThread::abortAll() {
    moves_.callBack();
    registry_.visitAll([this](Registration& registration) {
        onDispatcher.assertCurrent();
        registration.aborted = true;
        barrier_.tell(registration, "handleAbort", &SelectorHandler::handleAbort);
        registration.channel().close();
    });
}

void SelectorThread::loopFailed(const std::exception_ptr& thrown) {
    barrier_.report("loop", "turn", thrown);
    if (++loopFailures_ < options_.maxLoopFailures) return;
    barrier_.tellGivingUp();
    if (!drain_) drain_ = DrainOptions::atOnce();  // so that its report says what is lost by this
    finish();
}

// What comes after it on this thread is the program's.
void SelectorThread::threadEnds() {
    barrier_.tellThreadEnds();
    if (!drain_) drain_ = DrainOptions::atOnce();
    finish();
}

// --- what it tells about itself --------------------------------------------------------------

std::chrono::nanoseconds SelectorThread::busyTime() const {
    const int clock = busyClock_.load(std::memory_order_relaxed);
    if (clock == kernel::noCpuClock) return std::chrono::nanoseconds::zero();
    const std::chrono::nanoseconds spun = idle_.spun();
    return std::max(kernel::cpuTimeOf(clock) - spun, std::chrono::nanoseconds::zero());
}

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
