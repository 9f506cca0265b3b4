#include <nio/sys/kqueue/Kqueue.h>

#if NIO_HAS_KQUEUE

#include <fcntl.h>

#include <algorithm>
#include <ctime>

#include <nio/sys/SystemError.h>

namespace nio::kernel {

Result<UniqueFd> createKqueue() {
    Result<UniqueFd> queue = ownedOrError(::kqueue(), "kqueue");
    if (queue) ::fcntl(queue.value().get(), F_SETFD, FD_CLOEXEC);
    return queue;
}

// One by one: the call stops at the first one that it refuses.
Result<void> changeKqueue(int queue, std::span<KqueueEvent> changes) {
    for (KqueueEvent& change : changes) {
        const int result =
            uninterrupted([&] { return ::kevent(queue, &change, 1, nullptr, 0, nullptr); });
        const bool isGone = (change.flags & EV_DELETE) != 0 && (errno == ENOENT || errno == EBADF);
        if (result < 0 && !isGone) return lastError("kevent");
    }
    return {};
}

namespace {

// The kernel refuses times that are too long for it; a dispatcher just waits again.
constexpr WaitTime::value_type longestWait = std::chrono::hours(24);

}  // namespace

Result<std::size_t> waitKqueue(int queue, std::span<KqueueEvent> events, WaitTime wait) {
    const auto time = std::clamp(wait.value_or(WaitTime::value_type::zero()),
                                 WaitTime::value_type::zero(), longestWait);
    const auto seconds = std::chrono::floor<std::chrono::seconds>(time);
    const timespec limit{static_cast<time_t>(seconds.count()),
                         static_cast<long>((time - seconds).count())};
    const int count = ::kevent(queue, nullptr, 0, events.data(), static_cast<int>(events.size()),
                               wait ? &limit : nullptr);
    if (count >= 0) return static_cast<std::size_t>(count);
    if (errno == EINTR) return std::size_t{0};
    return lastError("kevent");
}

}  // namespace nio::kernel

#endif
