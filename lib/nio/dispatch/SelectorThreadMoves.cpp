// The part of SelectorThread that moves channels to other dispatchers. What happens to them on the
// way is in ChannelMoves.cpp.
#include <nio/dispatch/MovableHandler.h>
#include <nio/dispatch/Rebalancer.h>
#include <nio/dispatch/SelectorThread.h>

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

std::size_t SelectorThread::giveAway(SelectorThread& target, double share, std::size_t most) {
    identity_.assertCurrent("giveAway");
    std::vector<Registration*> candidates;
    std::vector<std::uint32_t> activities;
    std::uint64_t total = 0;
    for (Registration* each : registry_.snapshot()) {
        const std::uint32_t activity = each->takeTimesReady();
        total += activity;
        auto* handler = each->handler().asMovable();
        if (handler == nullptr || !handler->isMovable()) continue;
        candidates.push_back(each);
        activities.push_back(activity);
    }
    std::size_t given = 0;
    for (const std::size_t index : Rebalancer::chosen(activities, total, share, most)) {
        given += moveChannelNow(candidates[index]->channel(), target).ok() ? 1 : 0;
    }
    return given;
}

std::chrono::nanoseconds SelectorThread::busyTime() const {
    const int clock = busyClock_.load(std::memory_order_relaxed);
    if (clock == kernel::noCpuClock) return std::chrono::nanoseconds::zero();
    const std::chrono::nanoseconds spun = idle_.spun();
    return std::max(kernel::cpuTimeOf(clock) - spun, std::chrono::nanoseconds::zero());
}

void SelectorThread::resumeIdle(IdleHook& hook, std::chrono::milliseconds timeout) {
    identity_.assertCurrent("resumeIdle");
    if (timeout > std::chrono::milliseconds::zero()) idleLists_.of(*this, timeout).resume(hook);
}

}  // namespace nio
