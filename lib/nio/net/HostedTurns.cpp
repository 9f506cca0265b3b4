#include <nio/net/HostedTurns.h>

namespace nio {

Result<int> HostedTurns::descriptor() {
    const DispatcherLife::Turn turn(dispatcher_.life_);
    onDispatcher.assumeCurrent();
    return dispatcher_.selector_->descriptor();
}

// From prepareToSleep() on a post wakes the selector, whose descriptor then tells of it.
kernel::WaitTime HostedTurns::prepareToWait() {
    const DispatcherLife::Turn turn(dispatcher_.life_);
    onDispatcher.assumeCurrent();
    const bool isTurnDue = dispatcher_.selector_->hasWork() || dispatcher_.memory_.isDue() ||
                           dispatcher_.draining_.isOver();
    const bool maySleep = !isTurnDue && dispatcher_.queue_->prepareToSleep();
    return maySleep ? untilDue(dispatcher_, std::nullopt) : std::chrono::nanoseconds::zero();
}

}  // namespace nio
