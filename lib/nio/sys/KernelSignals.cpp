// The real kernel, part four: signals delivered to descriptors.
//
// They are caught, not blocked: a started program has the default actions and an empty mask,
// however it is started, whereas a blocked signal (signalfd) would stay blocked in it.
#include <nio/sys/Kernel.h>

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <bit>
#include <cerrno>
#include <mutex>
#include <new>

#include <nio/sys/Process.h>
#include <nio/sys/SystemCalls.h>
#include <nio/sys/SystemError.h>

namespace nio::kernel {

namespace {

using Set = std::uint64_t;  // bit n - 1: signal n

constexpr int mostSignals = 64;

constexpr Set bitOf(int signal) {
    return Set{1} << (signal - 1);
}

// Pending signals are stored here, not in the descriptor, so that none is lost, however many occur.
struct Listener {
    std::atomic<Set> signals{0};  // 0: the entry is free
    std::atomic<Set> come{0};
    std::atomic<Set> again{0};  // pending more than once
    std::atomic<int> event{-1};
};

std::array<Listener, 64> listeners;
std::atomic<Set> unheard{0};  // caught before there was a descriptor
std::atomic<int> handlersRunning{0};
std::atomic<pid_t> owner{0};
std::array<struct sigaction, mostSignals> before;

std::mutex changing;  // guards all of this, except in the signal handler
Set caught = 0;

// Retried if the first attempt has failed.
void tell(Listener& listener, Set signals) {
    const std::uint64_t one = 1;
    listener.again.fetch_or(listener.come.fetch_or(signals) & signals);
    for (int tries = 2; tries > 0; --tries) {
        if (::write(listener.event.load(), &one, sizeof one) == sizeof one) return;
    }
}

void tellAll(Set signal) {
    bool isHeard = false;
    for (Listener& listener : listeners) {
        if ((listener.signals.load() & signal) == 0) continue;
        tell(listener, signal);
        isHeard = true;
    }
    if (!isHeard) unheard.fetch_or(signal);
}

// A forked process shares the descriptors, which must not get its signals. Restores the previous
// actions.
void signalCame(int signal) {
    const int code = errno;
    if (::getpid() != owner.load()) {
        (void)::sigaction(signal, &before[static_cast<std::size_t>(signal - 1)], nullptr);
        (void)::raise(signal);
    } else {
        handlersRunning.fetch_add(1);
        tellAll(bitOf(signal));
        handlersRunning.fetch_sub(1);
    }
    errno = code;
}

// Runs in a forked process, on its only thread. It catches no signals until it requests them.
void forked() {
    new (&changing) std::mutex;
    owner = 0;
    handlersRunning = 0;
    unheard = 0;
    for (Listener& listener : listeners) {
        listener.come = listener.again = 0;
        const int event = listener.event.load();
        if (event < 0 || renewEvent(event)) continue;
        listener.signals = 0;
        listener.event = -1;
    }
}

[[maybe_unused]] const int registered = ::pthread_atfork(nullptr, nullptr, forked);

Result<Set> setOf(std::initializer_list<int> signals) {
    Set set = 0;
    for (const int signal : signals) {
        if (signal < 1 || signal > mostSignals) {
            return Error(std::errc::invalid_argument, "signal " + std::to_string(signal));
        }
        set |= bitOf(signal);
    }
    return set;
}

Listener* listenerOf(int fd) {
    for (Listener& listener : listeners) {
        if (fd >= 0 && listener.event.load() == fd) return &listener;
    }
    return nullptr;
}

void waitForHandlers() {
    while (handlersRunning.load() > 0) (void)::sched_yield();
}

Result<void> catchOne(int signal) {
    struct sigaction action {};
    action.sa_handler = signalCame;
    action.sa_flags = SA_RESTART;
    ::sigfillset(&action.sa_mask);
    auto& earlier = before[static_cast<std::size_t>(signal - 1)];
    const bool isFirst = (caught & bitOf(signal)) == 0;
    if (::sigaction(signal, &action, isFirst ? &earlier : nullptr) < 0) {
        return lastError("sigaction");
    }
    caught |= bitOf(signal);
    return {};
}

}  // namespace

// If the parent process has blocked the signals, this thread unblocks them.
Result<void> catchSignals(std::initializer_list<int> signals) {
    if (const Result<Set> set = setOf(signals); !set) return set.error();
    const std::lock_guard lock(changing);
    owner = ::getpid();
    sigset_t mask;
    ::sigemptyset(&mask);
    for (const int signal : signals) {
        if (Result<void> done = catchOne(signal); !done) return done;
        ::sigaddset(&mask, signal);
    }
    const int number = ::pthread_sigmask(SIG_UNBLOCK, &mask, nullptr);
    if (number != 0) return Error(static_cast<std::errc>(number), "pthread_sigmask");
#if !NIO_BARE_SYSTEM_CALLS
    // ThreadSanitizer (clang 14) loses a signal that comes in a thread's first blocking call.
    (void)waitPoll({}, std::chrono::nanoseconds::zero());
#endif
    return {};
}

Result<UniqueFd> createSignalDescriptor(std::initializer_list<int> signals) {
    if (Result<void> done = catchSignals(signals); !done) return done.error();
    Result<UniqueFd> event = createEvent();
    if (!event) return event.error();
    const std::lock_guard lock(changing);
    for (Listener& free : listeners) {
        if (free.event.load() >= 0) continue;
        const Set set = setOf(signals).value();
        free.event = event.value().get();
        free.signals = set;
        waitForHandlers();
        Set early = unheard.fetch_and(~set);
        for (const Listener& other : listeners) early |= other.come.load();
        if ((early & set) != 0) tell(free, early & set);
        return event;
    }
    return Error(std::errc::too_many_files_open, "descriptors for signals");
}

// Unread signals stay pending for other descriptors, or for the next one.
void forgetSignalDescriptor(int fd) noexcept {
    const std::lock_guard lock(changing);
    Listener* listener = listenerOf(fd);
    if (listener == nullptr) return;
    listener->signals = 0;
    waitForHandlers();
    listener->event = -1;
    listener->again = 0;
    Set left = listener->come.exchange(0);
    for (const Listener& other : listeners) left &= ~other.signals.load();
    unheard.fetch_or(left);
}

int readSignal(int fd) noexcept {
    Listener* listener = listenerOf(fd);
    if (listener == nullptr) return 0;
    clearEvent(fd);
    const Set come = listener->come.load();
    if (come == 0) return 0;
    const Set lowest = come & -come;
    listener->come.fetch_and(~lowest);
    listener->come.fetch_or(listener->again.fetch_and(~lowest) & lowest);
    return std::countr_zero(come) + 1;
}

}  // namespace nio::kernel
