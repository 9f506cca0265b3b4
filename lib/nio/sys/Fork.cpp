#include <nio/sys/Fork.h>

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>

#include <nio/sys/Kernel.h>
#include <nio/sys/SystemError.h>

namespace nio::kernel {

constinit std::atomic<std::uint32_t> forks{0};

namespace {

void forked() {
    forks.fetch_add(1, std::memory_order_relaxed);
}

[[maybe_unused]] const int registered = ::pthread_atfork(nullptr, nullptr, forked);

}  // namespace

int processId() noexcept {
    return ::getpid();
}

bool isProcessThere(int id) noexcept {
    return ::kill(id, 0) == 0 || errno != ESRCH;
}

Result<void> renewEvent(int fd) {
    const Result<UniqueFd> fresh = createEvent();
    if (!fresh) return fresh.error();
    return okOrError(::dup3(fresh.value().get(), fd, O_CLOEXEC), "dup3");
}

}  // namespace nio::kernel
