#include <nio/sys/Signals.h>

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>

namespace nio::kernel {

namespace {

constexpr std::array crashes{SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT};

// The signal handler's.
std::atomic<SignalFunction> crashFunction{nullptr};
std::atomic<bool> isCrashing{false};
std::array<struct sigaction, crashes.size()> before{};

struct sigaction actionFor(SignalFunction function, int flags) {
    struct sigaction action {};
    action.sa_handler = function;
    action.sa_flags = flags;
    ::sigfillset(&action.sa_mask);
    return action;
}

// Returning raises the signal again, with the previous action.
void crashed(int signal) {
    // Another thread is handling its crash, and ends the process.
    while (isCrashing.exchange(true)) ::pause();
    if (const SignalFunction function = crashFunction.load()) function(signal);
    for (std::size_t i = 0; i < crashes.size(); ++i) {
        (void)::sigaction(crashes[i], &before[i], nullptr);
    }
    (void)::raise(signal);
}

}  // namespace

void blockAllSignals() noexcept {
    sigset_t all;
    ::sigfillset(&all);
    (void)::pthread_sigmask(SIG_BLOCK, &all, nullptr);
}

void onCrash(SignalFunction function) noexcept {
    const bool isFirst = crashFunction.exchange(function) == nullptr;
    if (!isFirst) return;
    const struct sigaction action = actionFor(crashed, SA_ONSTACK);
    for (std::size_t i = 0; i < crashes.size(); ++i) {
        (void)::sigaction(crashes[i], &action, &before[i]);
    }
}

namespace {

// Size of the alternate stack: the kernel's part depends on the processor, ours is a few KiB.
std::size_t crashStackBytes() {
    constexpr long least = 64 * 1024;
    return static_cast<std::size_t>(std::max(least, 2 * ::sysconf(_SC_SIGSTKSZ)));
}

}  // namespace

CrashStack::CrashStack() noexcept {
    stack_t old{};
    const bool isWanted = crashFunction.load() != nullptr && ::sigaltstack(nullptr, &old) == 0 &&
                          (old.ss_flags & SS_DISABLE) != 0;
    if (!isWanted) return;
    void* memory = ::mmap(nullptr, crashStackBytes(), PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
    if (memory == MAP_FAILED) return;
    const stack_t stack{.ss_sp = memory, .ss_flags = 0, .ss_size = crashStackBytes()};
    if (::sigaltstack(&stack, nullptr) == 0) {
        memory_ = memory;
    } else {
        (void)::munmap(memory, crashStackBytes());
    }
}

CrashStack::~CrashStack() {
    if (memory_ == nullptr) return;
    stack_t used{};
    const stack_t none{.ss_sp = nullptr, .ss_flags = SS_DISABLE, .ss_size = 0};
    // Another alternate stack may have been installed since.
    const bool isOurs = ::sigaltstack(nullptr, &used) == 0 && used.ss_sp == memory_;
    if (isOurs) (void)::sigaltstack(&none, nullptr);
    (void)::munmap(memory_, crashStackBytes());
}

void onSignal(int signal, SignalFunction function) noexcept {
    const struct sigaction action = actionFor(function, SA_RESTART);
    (void)::sigaction(signal, &action, nullptr);
}

int openToAppend(const char* path) noexcept {
    constexpr int readableByGroup = 0640;
    const int code = errno;
    // A pipe without a reader would block a crashing process. A symbolic link, planted in a folder
    // that others can write to, would overwrite another file.
    constexpr int flags = O_WRONLY | O_CREAT | O_APPEND | O_NONBLOCK | O_CLOEXEC | O_NOFOLLOW;
    const int fd = ::open(path, flags, readableByGroup);
    errno = code;
    return fd;
}

void closeWritten(int fd) noexcept {
    const int code = errno;
    (void)::close(fd);
    errno = code;
}

}  // namespace nio::kernel
