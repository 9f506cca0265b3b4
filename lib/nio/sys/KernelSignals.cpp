// The real kernel, part four: signals that are told to descriptors.
//
// They are caught, not blocked: a process that is started has the default actions and an empty mask
// then, whichever way it is started, where a blocked signal (signalfd) would stay blocked in it.
#include <nio/sys/Kernel.h>

#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cerrno>
#include <mutex>
#include <new>

#include <nio/sys/SystemError.h>

namespace nio::kernel {

namespace {

using Set = std::uint64_t;  // bit n - 1: signal n

constexpr int mostSignals = 64;

constexpr Set bitOf(int signal) {
    return Set{1} << (signal - 1);
}

struct Listener {
    std::atomic<Set> signals{0};  // none: the place is free
    std::atomic<int> tell{-1};    // what is written here is read from the descriptor
    int descriptor = -1;
};

// The signal handler's.
std::array<Listener, 64> listeners;
std::atomic<Set> unheard{0};  // caught, and there was no descriptor for it yet
std::atomic<int> handlersRunning{0};
std::atomic<pid_t> owner{0};
std::array<struct sigaction, mostSignals> before;

std::mutex changing;  // of all this, but not by the signal handler
Set caught = 0;

void tell(const Listener& listener, int signal) {
    const auto number = static_cast<unsigned char>(signal);
    (void)::send(listener.tell.load(), &number, 1, MSG_DONTWAIT | MSG_NOSIGNAL);
}

void tellAll(int signal) {
    bool isTold = false;
    for (const Listener& listener : listeners) {
        if ((listener.signals.load() & bitOf(signal)) == 0) continue;
        tell(listener, signal);
        isTold = true;
    }
    if (!isTold) unheard.fetch_or(bitOf(signal));
}

// A forked process shares the descriptors: its signals are not for those. They do what they did
// before any was caught, once this returns.
void signalCame(int signal) {
    const int code = errno;
    if (::getpid() != owner.load()) {
        (void)::sigaction(signal, &before[static_cast<std::size_t>(signal - 1)], nullptr);
        (void)::raise(signal);
    } else {
        handlersRunning.fetch_add(1);
        tellAll(signal);
        handlersRunning.fetch_sub(1);
    }
    errno = code;
}

constexpr int pairType = SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC;

// A pair of its own under the same numbers: the one that was there is the parent's.
void renew(Listener& listener) {
    std::array<int, 2> ends{};
    if (::socketpair(AF_UNIX, pairType, 0, ends.data()) < 0) {
        listener.signals = 0;
        return;
    }
    (void)::dup3(ends[0], listener.descriptor, O_CLOEXEC);
    (void)::dup3(ends[1], listener.tell, O_CLOEXEC);
    for (const int end : ends) ::close(end);
}

// Runs in a forked process, on its only thread. It catches no signal until it asks for one.
void forked() {
    new (&changing) std::mutex;
    owner = 0;
    handlersRunning = 0;
    unheard = 0;
    for (Listener& listener : listeners) {
        if (listener.descriptor >= 0) renew(listener);
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

// Where its parent has blocked them, this thread is the one to take them.
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
    return {};
}

Result<UniqueFd> createSignalDescriptor(std::initializer_list<int> signals) {
    if (Result<void> done = catchSignals(signals); !done) return done.error();
    const Set set = setOf(signals).value();
    std::array<int, 2> ends{};
    if (::socketpair(AF_UNIX, pairType, 0, ends.data()) < 0) return lastError("socketpair");
    UniqueFd reads(ends[0]);
    UniqueFd tells(ends[1]);
    const std::lock_guard lock(changing);
    for (Listener& free : listeners) {
        if (free.descriptor >= 0) continue;
        free.descriptor = reads.get();
        free.tell = tells.release();
        free.signals = set;
        while (handlersRunning.load() > 0) (void)::sched_yield();
        for (Set early = unheard.fetch_and(~set) & set; early != 0; early &= early - 1) {
            tell(free, std::countr_zero(early) + 1);
        }
        return reads;
    }
    return Error(std::errc::too_many_files_open, "descriptors for signals");
}

// A handler that runs on another thread may still write to it. What was not read is the next one's.
void forgetSignalDescriptor(int fd) noexcept {
    const std::lock_guard lock(changing);
    for (Listener& listener : listeners) {
        if (fd < 0 || listener.descriptor != fd) continue;
        listener.signals = 0;
        listener.descriptor = -1;
        while (handlersRunning.load() > 0) (void)::sched_yield();
        const int tells = listener.tell.exchange(-1);
        if (tells >= 0) ::close(tells);
        while (const int signal = readSignal(fd)) {
            const bool isHeard = std::any_of(
                listeners.begin(), listeners.end(),
                [&](const Listener& other) { return (other.signals.load() & bitOf(signal)) != 0; });
            if (!isHeard) unheard.fetch_or(bitOf(signal));
        }
    }
}

int readSignal(int fd) noexcept {
    unsigned char number = 0;
    const ssize_t count = uninterrupted([&] { return ::read(fd, &number, 1); });
    return count == 1 ? number : 0;
}

}  // namespace nio::kernel
