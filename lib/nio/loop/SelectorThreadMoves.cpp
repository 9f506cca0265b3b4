// The part of SelectorThread that moves channels to other dispatchers. What happens to them on the
// way is in ChannelMoves.cpp.
#include <nio/loop/MovableHandler.h>
#include <nio/loop/SelectorThread.h>

namespace nio {

Result<void> SelectorThread::moveChannelNow(SelectableChannel& channel, SelectorThread& target,
                                            CallbackErrorHandler onError) {
    Registration* registration = registrationOf(channel, "moveChannelNow");
    if (registration == nullptr) return Errc::notRegistered;
    auto* handler = registration->handler().asMovable();
    if (handler == nullptr || !handler->isMovable()) return Errc::notMovable;
    if (drain_ || !target.takesConnections()) return Errc::stopped;
    return moves_.request(*registration, {&target, target.queue_}, std::move(onError));
}

bool SelectorThread::moveChannelLater(ChannelHandle handle, SelectorThread& target,
                                      CallbackErrorHandler onError) {
    SelectorThread& home = homeOf(handle);
    ChannelMoves::Request request{handle, {&target, target.queue_}, std::move(onError)};
    return home.invokeLater([&home, request = std::move(request)]() mutable {
        onDispatcher.assertCurrent();
        home.moves_.begin(std::move(request));
    });
}

std::vector<SelectorThread::Activity> SelectorThread::takeActivities() {
    identity_.assertCurrent("takeActivities");
    std::vector<Activity> activities;
    activities.reserve(registry_.size());
    for (Registration* each : registry_.snapshot()) {
        const auto* handler = each->handler().asMovable();
        const bool isMovable = handler != nullptr && handler->isMovable();
        activities.push_back({&each->channel(), each->takeTimesReady(), isMovable});
    }
    return activities;
}

std::chrono::nanoseconds SelectorThread::busyTime() const {
    const int clock = busyClock_.load(std::memory_order_relaxed);
    if (clock == kernel::noCpuClock) return std::chrono::nanoseconds::zero();
    const std::chrono::nanoseconds spun = idle_.spun();
    return std::max(kernel::cpuTimeOf(clock) - spun, std::chrono::nanoseconds::zero());
}

}  // namespace nio
