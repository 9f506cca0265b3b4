// The real kernel, part two: readiness, the clock.
#include <nio/sys/Kernel.h>

#include <linux/time_types.h>
#include <sched.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <climits>
#include <ctime>

#include <nio/sys/SystemCalls.h>
#include <nio/sys/SystemError.h>

namespace nio::kernel {

namespace {

using std::chrono::nanoseconds;

nanoseconds timeOf(clockid_t clock) {
    timespec time{};
    ::clock_gettime(clock, &time);
    return std::chrono::seconds(time.tv_sec) + nanoseconds(time.tv_nsec);
}

timespec toTimespec(nanoseconds wait) {
    const nanoseconds sane = std::max(wait, nanoseconds::zero());
    const auto seconds = std::chrono::floor<std::chrono::seconds>(sane);
    return {static_cast<time_t>(seconds.count()), static_cast<long>((sane - seconds).count())};
}

int toMilliseconds(nanoseconds wait) {
    const auto rounded = std::chrono::ceil<std::chrono::milliseconds>(wait).count();
    return static_cast<int>(std::clamp<decltype(rounded)>(rounded, 0, INT_MAX));
}

int epollWaitCoarsely(int epoll, std::span<epoll_event> events, const WaitTime& wait) {
    const int milliseconds = wait ? toMilliseconds(*wait) : -1;
    return bare::epollWait(epoll, events.data(), static_cast<int>(events.size()), milliseconds);
}

#ifdef SYS_epoll_pwait2

// Older kernels lack the call, and some sandboxes forbid it; both are detected once.
std::atomic<bool> fineWaitsWork{true};

// Called by number: the C library may be older than the kernel.
int epollWaitFinely(int epoll, std::span<epoll_event> events, nanoseconds wait) {
    const timespec time = toTimespec(wait);
    const __kernel_timespec limit{time.tv_sec, time.tv_nsec};
    const long count = ::syscall(SYS_epoll_pwait2, epoll, events.data(), events.size(), &limit,
                                 nullptr, std::size_t{0});
    return static_cast<int>(bare::orError(count));
}

int epollWait(int epoll, std::span<epoll_event> events, const WaitTime& wait) {
    const bool fine = wait && *wait > nanoseconds::zero();
    if (!fine || !fineWaitsWork.load(std::memory_order_relaxed)) {
        return epollWaitCoarsely(epoll, events, wait);
    }
    const int count = epollWaitFinely(epoll, events, *wait);
    if (count != -ENOSYS && count != -EPERM) return count;
    fineWaitsWork.store(false, std::memory_order_relaxed);
    return epollWaitCoarsely(epoll, events, wait);
}

#else

int epollWait(int epoll, std::span<epoll_event> events, const WaitTime& wait) {
    return epollWaitCoarsely(epoll, events, wait);
}

#endif

// `count`, or a negative error number.
inline Result<std::size_t> waited(int count, const char* call) {
    if (count >= 0) [[likely]]
        return static_cast<std::size_t>(count);
    if (count == -EINTR) return std::size_t{0};
    return Error(static_cast<std::errc>(-count), call);
}

}  // namespace

Result<UniqueFd> createEpoll() {
    return ownedOrError(::epoll_create1(EPOLL_CLOEXEC), "epoll_create1");
}

Result<void> changeEpoll(int epoll, EpollChange change, int fd, std::uint32_t events, void* data) {
    epoll_event event{};
    event.events = events;
    event.data.ptr = data;
    switch (change) {
        case EpollChange::add:
            return okOrError(::epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event), "epoll_ctl add");
        case EpollChange::modify:
            return okOrError(::epoll_ctl(epoll, EPOLL_CTL_MOD, fd, &event), "epoll_ctl modify");
        case EpollChange::remove:
            return okOrError(::epoll_ctl(epoll, EPOLL_CTL_DEL, fd, &event), "epoll_ctl remove");
    }
    return std::errc::invalid_argument;
}

Result<std::size_t> waitEpoll(int epoll, std::span<epoll_event> events, WaitTime wait) {
    return waited(epollWait(epoll, events, wait), "epoll_wait");
}

Result<std::size_t> waitPoll(std::span<pollfd> entries, WaitTime wait) {
    const timespec limit = toTimespec(wait.value_or(nanoseconds::zero()));
    const int count = ::ppoll(entries.data(), entries.size(), wait ? &limit : nullptr, nullptr);
    return waited(static_cast<int>(bare::orError(count)), "ppoll");
}

Result<UniqueFd> createEvent() {
    return ownedOrError(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), "eventfd");
}

// Fails only if the counter is full; then the event is already signalled.
void signalEvent(int fd) noexcept {
    const std::uint64_t one = 1;
    uninterrupted([&] { return ::write(fd, &one, sizeof one); });
}

void clearEvent(int fd) noexcept {
    std::uint64_t count = 0;
    uninterrupted([&] { return ::read(fd, &count, sizeof count); });
}

TimePoint now() noexcept {
    return TimePoint(timeOf(CLOCK_MONOTONIC));
}

nanoseconds suspendedTime() noexcept {
    constexpr nanoseconds atOnce = std::chrono::milliseconds(1);
    for (;;) {
        const nanoseconds before = timeOf(CLOCK_MONOTONIC);
        const nanoseconds all = timeOf(CLOCK_BOOTTIME);
        if (timeOf(CLOCK_MONOTONIC) - before <= atOnce) return all - before;
    }
}

nanoseconds threadCpuTime() noexcept {
    return timeOf(CLOCK_THREAD_CPUTIME_ID);
}

// Clock ids of threads are negative.
int threadCpuClock() noexcept {
    clockid_t clock{};
    return ::pthread_getcpuclockid(::pthread_self(), &clock) == 0 ? clock : noCpuClock;
}

nanoseconds cpuTimeOf(int cpuClock) noexcept {
    return timeOf(cpuClock);
}

void makeWaitsPrecise() noexcept {
    (void)::prctl(PR_SET_TIMERSLACK, 1UL);
}

void sleepFor(nanoseconds time) noexcept {
    const timespec wait = toTimespec(time);
    (void)::clock_nanosleep(CLOCK_MONOTONIC, 0, &wait, nullptr);
}

void yieldCpu() noexcept {
    (void)::sched_yield();
}

}  // namespace nio::kernel
