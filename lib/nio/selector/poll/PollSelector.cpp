#include <nio/selector/poll/PollSelector.h>

#include <algorithm>

#include <nio/selector/PollEvents.h>
#include <nio/sys/refusal/Refusal.h>

namespace nio {

PollSelector::PollSelector(const SelectorOptions& options)
    : io_(options.receiveBufferBytes),
      maxSelectedKeys_(options.maxSelectedKeys),
      entries_{{wakeUp()->fd(), POLLIN, 0}},
      keys_{nullptr} {}

Result<std::unique_ptr<Selector>> PollSelector::open(const SelectorOptions& options) {
    const Result<void> granted = kernel::checkDispatcherCalls(kernel::WaitCall::poll);
    if (!granted) return granted.error();
    return std::unique_ptr<Selector>(new PollSelector(options));
}

Result<void> PollSelector::watch(SelectionKey& key) {
    key.pollIndex_ = static_cast<std::uint32_t>(entries_.size());
    entries_.push_back({key.channel().fd(), 0, 0});
    try {
        keys_.push_back(&key);
    } catch (...) {
        entries_.pop_back();
        throw;
    }
    key.watched_ = true;
    return rearm(key);
}

void PollSelector::unwatch(SelectionKey& key) {
    key.watched_ = false;
    const std::size_t index = key.pollIndex_;
    entries_[index] = entries_.back();
    keys_[index] = keys_.back();
    keys_[index]->pollIndex_ = key.pollIndex_;
    entries_.pop_back();
    keys_.pop_back();
}

// poll(2) reports a hang-up whatever is requested; only negative descriptors are ignored.
Result<void> PollSelector::rearm(SelectionKey& key) {
    pollfd& entry = entries_[key.pollIndex_];
    entry.fd = any(key.interest_) ? key.channel().fd() : -1;
    entry.events = static_cast<short>(pollEventsOf(key.interest_));
    key.armed_ = key.interest_;
    return {};
}

Result<void> PollSelector::wait(kernel::WaitTime time) {
    const Result<std::size_t> count = kernel::waitPoll(entries_, time);
    if (!count) return count.error();
    std::size_t ready = count.value();
    if (ready > 0 && entries_[0].revents != 0) {
        wakeUp()->clear();
        --ready;
    }
    collect(ready);
    return {};
}

void PollSelector::collect(std::size_t ready) {
    std::size_t room = roomToOffer(std::min(maxSelectedKeys_, ready));
    const std::size_t start = next_ < entries_.size() ? next_ : 1;
    next_ = 1;
    std::size_t index = start;
    for (std::size_t seen = 1; seen < entries_.size() && ready > 0; ++seen) {
        if (entries_[index].revents != 0) {
            if (room == 0) {
                next_ = index;
                return;
            }
            --ready;
            if (found(index)) --room;
        }
        if (++index == entries_.size()) index = 1;
    }
}

bool PollSelector::found(std::size_t index) {
    SelectionKey& key = *keys_[index];
    const short events = entries_[index].revents;
    const bool broken = (events & (POLLERR | POLLHUP | POLLNVAL)) != 0;
    const bool wanted = offer(key, interestOf(static_cast<unsigned>(events)), broken);
    if (!wanted) (void)rearm(key);
    return wanted;
}

}  // namespace nio
