#include <nio/selector/uring/UringOperations.h>

#include <poll.h>
#include <sys/socket.h>

#include <nio/selector/PollEvents.h>
#include <nio/sys/Kernel.h>

namespace nio {

namespace {

// With POLLPRI alone a poll of a socket never completes (Linux 6.18). With more it does, but also
// for ordinary input.
short eventsOf(UringOperations::Kind kind) {
    switch (kind) {
        case UringOperations::Kind::pollIn: return POLLIN;
        case UringOperations::Kind::pollOut: return POLLOUT;
        default: return POLLPRI | POLLRDBAND;
    }
}

bool isSocket(int fd) {
    int type = 0;
    socklen_t length = sizeof type;
    return ::getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &length) == 0;
}

// What is no socket may tell of an event once, and has told the ring.
bool isExceptional(int fd, std::int32_t events) {
    if (!isSocket(fd)) return (events & POLLPRI) != 0;
    pollfd entry{fd, POLLPRI, 0};
    const auto ready = kernel::waitPoll({&entry, 1}, std::chrono::nanoseconds::zero());
    return ready && (entry.revents & POLLPRI) != 0;
}

}  // namespace

void UringOperations::poll(kernel::Uring& ring, int fd, Kind kind) {
    const bool in = kind == Kind::pollIn;
    const bool out = kind == Kind::pollOut;
    if (in ? pollingIn : out ? pollingOut : pollingPriority) return;
    ring.poll(fd, eventsOf(kind), false, tag(kind));
    if (in) pollingIn = true;
    if (out) pollingOut = true;
    if (!in && !out) pollingPriority = true;
    ++references;
}

Interest UringOperations::pollEnded(Kind kind) {
    switch (kind) {
        case Kind::pollIn: pollingIn = false; return inbound;
        case Kind::pollOut: pollingOut = false; return outbound;
        default: pollingPriority = false; return Interest::exceptional;
    }
}

void UringOperations::pollFound(Kind kind, std::int32_t events) {
    if (kind == Kind::pollIn) readable = true;
    if (kind == Kind::pollOut) writable = true;
    if (kind == Kind::pollOut) output.stalled = false;
    if (kind == Kind::pollPriority) exceptional = isExceptional(key->channel().fd(), events);
    if ((events & (POLLERR | POLLHUP)) != 0) broken = true;
}

void UringOperations::withdraw(kernel::Uring& ring) {
    const auto withdrawn = [&](Kind kind) { return ring.withdraw(tag(kind)); };
    if (output.submitted > 0 && withdrawn(Kind::send)) output.submitted = 0;
    if (withdrawn(Kind::receive)) input.receiving = false, --references;
    if (withdrawn(Kind::pollIn)) pollingIn = false, --references;
    if (withdrawn(Kind::pollOut)) pollingOut = false, --references;
    if (withdrawn(Kind::pollPriority)) pollingPriority = false, --references;
}

void UringOperations::endRing() {
    const std::uint32_t stood =
        std::uint32_t{input.receiving} + pollingIn + pollingOut + pollingPriority;
    input.receiving = pollingIn = pollingOut = pollingPriority = input.cancelling = false;
    references -= stood;
}

UringOperations& UringTable::add(SelectionKey& key) {
    auto operations = std::make_unique<UringOperations>(key);
    operations->index = static_cast<std::uint32_t>(all_.size());
    all_.push_back(operations.get());
    return *operations.release();
}

void UringTable::free(UringOperations& operations) {
    all_[operations.index] = all_.back();
    all_[operations.index]->index = operations.index;
    all_.pop_back();
    delete &operations;
}

}  // namespace nio
