#include <nio/selector/select/SelectSelector.h>

#include <algorithm>
#include <string>

#include <nio/selector/PollEvents.h>
#include <nio/sys/refusal/Refusal.h>

namespace nio {

namespace {

Result<void> checkWatchable(int fd) {
    if (fd < kernel::selectLimit) return {};
    return Error(std::errc::too_many_files_open, "select: descriptor " + std::to_string(fd) +
                                                     " is not below FD_SETSIZE (" +
                                                     std::to_string(kernel::selectLimit) + ")");
}

}  // namespace

Result<std::unique_ptr<Selector>> SelectSelector::open(const SelectorOptions& options) {
    const Result<void> granted = kernel::checkDispatcherCalls(kernel::WaitCall::select);
    if (!granted) return granted.error();
    std::unique_ptr<SelectSelector> selector(new SelectSelector(options));
    if (Result<void> fits = checkWatchable(selector->wakeUp()->fd()); !fits) return fits.error();
    selector->arm(selector->wakeUp()->fd(), Interest::read);
    return std::unique_ptr<Selector>(std::move(selector));
}

SelectSelector::SelectSelector(const SelectorOptions& options)
    : io_(options.receiveBufferBytes), maxSelectedKeys_(options.maxSelectedKeys) {
    FD_ZERO(&input_);
    FD_ZERO(&output_);
    FD_ZERO(&exceptional_);
}

Result<void> SelectSelector::watch(SelectionKey& key) {
    const int fd = key.channel().fd();
    if (Result<void> fits = checkWatchable(fd); !fits) return fits;
    keys_[static_cast<std::size_t>(fd)] = &key;
    key.watched_ = true;
    return rearm(key);
}

void SelectSelector::unwatch(SelectionKey& key) {
    const int fd = key.channel().fd();
    key.watched_ = false;
    arm(fd, Interest::none);
    keys_[static_cast<std::size_t>(fd)] = nullptr;
}

Result<void> SelectSelector::rearm(SelectionKey& key) {
    arm(key.channel().fd(), key.interest_);
    key.armed_ = key.interest_;
    return {};
}

void SelectSelector::arm(int fd, Interest interest) {
    any(interest & inbound) ? FD_SET(fd, &input_) : FD_CLR(fd, &input_);
    any(interest & outbound) ? FD_SET(fd, &output_) : FD_CLR(fd, &output_);
    any(interest & Interest::exceptional) ? FD_SET(fd, &exceptional_) : FD_CLR(fd, &exceptional_);
    end_ = std::max(end_, fd + 1);
}

Result<void> SelectSelector::wait(kernel::WaitTime time) {
    fd_set input = input_;
    fd_set output = output_;
    fd_set exceptional = exceptional_;
    const Result<std::size_t> count = kernel::waitSelect(end_, input, output, exceptional, time);
    if (!count) return count.error();
    if (count.value() == 0) return {};
    if (FD_ISSET(wakeUp()->fd(), &input)) {
        wakeUp()->clear();
        FD_CLR(wakeUp()->fd(), &input);
    }
    collect(input, output, exceptional);
    return {};
}

// A hang-up makes the descriptor ready for reading and writing: nothing is broken in another way.
void SelectSelector::collect(const fd_set& input, const fd_set& output, const fd_set& exceptional) {
    std::size_t room = roomToOffer(std::min(maxSelectedKeys_, static_cast<std::size_t>(end_)));
    int fd = next_ < end_ ? next_ : 0;
    next_ = 0;
    for (int seen = 0; seen < end_; ++seen, fd = fd + 1 < end_ ? fd + 1 : 0) {
        Interest found = Interest::none;
        if (FD_ISSET(fd, &input)) found = found | inbound;
        if (FD_ISSET(fd, &output)) found = found | outbound;
        if (FD_ISSET(fd, &exceptional)) found = found | Interest::exceptional;
        if (!any(found)) continue;
        if (room == 0) {
            next_ = fd;
            return;
        }
        SelectionKey& key = *keys_[static_cast<std::size_t>(fd)];
        const bool wanted = offer(key, found, false);
        wanted ? static_cast<void>(--room) : static_cast<void>(rearm(key));
    }
}

}  // namespace nio
