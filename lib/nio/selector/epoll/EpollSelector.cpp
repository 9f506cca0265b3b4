#include <nio/selector/epoll/EpollSelector.h>

#include <nio/base/Prefetch.h>
#include <nio/selector/PollEvents.h>
#include <nio/sys/refusal/Refusal.h>

namespace nio {

static_assert(EPOLLIN == POLLIN && EPOLLPRI == POLLPRI && EPOLLOUT == POLLOUT);

Result<std::unique_ptr<Selector>> EpollSelector::open(const SelectorOptions& options) {
    const Result<void> granted = kernel::checkDispatcherCalls(kernel::WaitCall::epollWait);
    if (!granted) return granted.error();
    Result<UniqueFd> epoll = kernel::createEpoll();
    if (!epoll) return epoll.error();
    std::unique_ptr<EpollSelector> selector(new EpollSelector(std::move(epoll).value(), options));
    if (Result<void> added = selector->watchWakeUp(); !added) return added.error();
    return std::unique_ptr<Selector>(std::move(selector));
}

// Edge-triggered, so that a wake-up costs its one write and is never read back.
Result<void> EpollSelector::watchWakeUp() {
    return kernel::changeEpoll(epoll_.get(), kernel::EpollChange::add, wakeUp()->fd(),
                               EPOLLIN | EPOLLET, nullptr);
}

// Parent and child would otherwise share one epoll instance.
Result<void> EpollSelector::renew() {
    Result<UniqueFd> epoll = kernel::createEpoll();
    if (!epoll) return epoll.error();
    epoll_ = std::move(epoll).value();
    return watchWakeUp();
}

Result<void> EpollSelector::watch(SelectionKey& key) {
    Result<void> added =
        kernel::changeEpoll(epoll_.get(), kernel::EpollChange::add, key.channel().fd(),
                            pollEventsOf(key.interest_), static_cast<void*>(&key));
    if (!added) return added;
    key.watched_ = true;
    key.armed_ = key.interest_;
    return {};
}

// Closing the descriptor, which is what comes next, would take it out of epoll without a call, but
// only where no other process has it too (an inherited one, or a fork before its exec): then events
// would go on, for a key that is gone.
void EpollSelector::unwatch(SelectionKey& key) {
    if (key.watched_) forget(key);
}

Result<void> EpollSelector::rearm(SelectionKey& key) {
    if (!key.watched_) return watch(key);
    if (key.armed_ == key.interest_) return {};
    Result<void> changed =
        kernel::changeEpoll(epoll_.get(), kernel::EpollChange::modify, key.channel().fd(),
                            pollEventsOf(key.interest_), static_cast<void*>(&key));
    if (changed) key.armed_ = key.interest_;
    return changed;
}

Result<void> EpollSelector::wait(kernel::WaitTime time) {
    const Result<std::size_t> count = kernel::waitEpoll(epoll_.get(), events_, time);
    if (!count) return count.error();
    constexpr std::size_t ahead = 4;
    const std::size_t offered = roomToOffer(count.value());
    for (std::size_t i = 0; i < offered; ++i) {
        if (i + ahead < offered) prefetch(events_[i + ahead].data.ptr, sizeof(SelectionKey));
        found(events_[i]);
    }
    return {};
}

void EpollSelector::found(const epoll_event& event) {
    if (event.data.ptr == nullptr) return;
    SelectionKey& key = *static_cast<SelectionKey*>(event.data.ptr);
    const bool broken = (event.events & (EPOLLERR | EPOLLHUP)) != 0;
    if (offer(key, interestOf(event.events), broken)) return;
    if (broken) return forget(key);
    key.noteChange();
}

// The channel has no interest, but a hang-up is reported whatever is armed, so EPOLL_CTL_MOD would
// spin. The descriptor leaves epoll until the channel has interest again.
// One that could not be taken out will be reported again, and forgotten then.
void EpollSelector::forget(SelectionKey& key) {
    const Result<void> removed = kernel::changeEpoll(epoll_.get(), kernel::EpollChange::remove,
                                                     key.channel().fd(), 0, nullptr);
    const bool isOut = removed || removed.error().is(std::errc::no_such_file_or_directory) ||
                       removed.error().is(std::errc::bad_file_descriptor);
    if (isOut) key.watched_ = false;
    key.armed_ = Interest::none;
}

// Events for a key that is gone would be fatal: it stays until the kernel has let it go.
bool EpollSelector::detach(SelectionKey& key) {
    unwatch(key);
    return !key.watched_;
}

}  // namespace nio
