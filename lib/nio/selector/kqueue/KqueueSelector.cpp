#include <nio/selector/kqueue/KqueueSelector.h>

#if NIO_HAS_KQUEUE

#include <nio/selector/PollEvents.h>

namespace nio {

namespace {

constexpr std::uint32_t notFound = UINT32_MAX;

// The type of udata differs between the systems.
using UserData = decltype(kernel::KqueueEvent::udata);

kernel::KqueueEvent changeOf(int fd, short filter, bool on, SelectionKey* key) {
    kernel::KqueueEvent change{};
    EV_SET(&change, static_cast<decltype(change.ident)>(fd), filter,
           static_cast<unsigned short>(on ? EV_ADD : EV_DELETE), 0, 0,
           reinterpret_cast<UserData>(key));
    return change;
}

}  // namespace

KqueueSelector::KqueueSelector(UniqueFd queue, const SelectorOptions& options)
    : queue_(std::move(queue)), io_(options.receiveBufferBytes), events_(options.maxSelectedKeys) {
    found_.reserve(options.maxSelectedKeys);
}

Result<std::unique_ptr<Selector>> KqueueSelector::open(const SelectorOptions& options) {
    Result<UniqueFd> queue = kernel::createKqueue();
    if (!queue) return queue.error();
    std::unique_ptr<KqueueSelector> selector(new KqueueSelector(std::move(queue).value(), options));
    if (Result<void> added = selector->watchWakeUp(); !added) return added.error();
    return std::unique_ptr<Selector>(std::move(selector));
}

Result<void> KqueueSelector::watchWakeUp() {
    kernel::KqueueEvent change = changeOf(wakeUp()->fd(), EVFILT_READ, true, nullptr);
    return kernel::changeKqueue(queue_.get(), {&change, 1});
}

// A forked process does not inherit it.
Result<void> KqueueSelector::renew() {
    Result<UniqueFd> queue = kernel::createKqueue();
    if (!queue) return queue.error();
    queue_ = std::move(queue).value();
    return watchWakeUp();
}

Result<void> KqueueSelector::watch(SelectionKey& key) {
    key.pollIndex_ = notFound;
    if (Result<void> armed = arm(key, key.interest_); !armed) return armed;
    key.watched_ = true;
    return {};
}

// Closing the descriptor, which is what comes next, would do it too, but not where another process
// has it as well.
void KqueueSelector::unwatch(SelectionKey& key) {
    if (key.watched_) (void)arm(key, Interest::none).ok();
    key.watched_ = false;
}

Result<void> KqueueSelector::rearm(SelectionKey& key) {
    return key.watched_ ? arm(key, key.interest_) : watch(key);
}

// Only some systems have a filter for urgent data, and none for what else POLLPRI tells.
Result<void> KqueueSelector::arm(SelectionKey& key, Interest wanted) {
    if (any(wanted & Interest::exceptional)) {
        return Error(Errc::notSupported, "kqueue: exceptional interest");
    }
    kernel::KqueueEvent changes[2];
    std::size_t count = 0;
    const auto direct = [&](Interest direction, short filter) {
        const bool was = any(key.armed_ & direction);
        const bool is = any(wanted & direction);
        if (was != is) changes[count++] = changeOf(key.channel().fd(), filter, is, &key);
    };
    direct(inbound, EVFILT_READ);
    direct(outbound, EVFILT_WRITE);
    Result<void> changed = kernel::changeKqueue(queue_.get(), {changes, count});
    if (!changed) disarm(key);
    key.armed_ = changed ? wanted : Interest::none;
    return changed;
}

// Either filter may be armed after a failure, and names a key that may not live long.
void KqueueSelector::disarm(const SelectionKey& key) {
    for (const short filter : {EVFILT_READ, EVFILT_WRITE}) {
        kernel::KqueueEvent change = changeOf(key.channel().fd(), filter, false, nullptr);
        (void)kernel::changeKqueue(queue_.get(), {&change, 1}).ok();
    }
}

// Reading and writing come as two events, which must be one offer.
Result<void> KqueueSelector::wait(kernel::WaitTime time) {
    const Result<std::size_t> count = kernel::waitKqueue(queue_.get(), events_, time);
    if (!count) return count.error();
    found_.clear();
    for (std::size_t i = 0; i < count.value(); ++i) {
        events_[i].udata == UserData{} ? wakeUp()->clear() : merge(events_[i]);
    }
    std::size_t room = roomToOffer(found_.size());
    for (const Found& each : found_) {
        each.key->pollIndex_ = notFound;
        if (room == 0) continue;
        --room;
        if (!offer(*each.key, each.interest, each.broken)) {
            (void)arm(*each.key, each.key->interest_).ok();
        }
    }
    return {};
}

void KqueueSelector::merge(const kernel::KqueueEvent& event) {
    auto& key = *reinterpret_cast<SelectionKey*>(event.udata);
    if (key.pollIndex_ == notFound) {
        key.pollIndex_ = static_cast<std::uint32_t>(found_.size());
        found_.push_back({&key, Interest::none, false});
    }
    Found& found = found_[key.pollIndex_];
    found.interest = found.interest | (event.filter == EVFILT_READ ? inbound : outbound);
    found.broken = found.broken || (event.flags & EV_ERROR) != 0;
}

}  // namespace nio

#endif
