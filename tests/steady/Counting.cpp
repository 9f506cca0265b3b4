#include "steady/Counting.h"

#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>

namespace steady {

Counters counters;

namespace {

void count(std::atomic<std::size_t>& counter) {
    if (counters.on.load(std::memory_order_relaxed)) {
        counter.fetch_add(1, std::memory_order_relaxed);
    }
}

// As the C library's wrappers do it.
template <class... Args>
long call(long number, Args... args) {
    return ::syscall(number, args...);
}

}  // namespace

Counting::Counting() {
    for (auto* counter : {&counters.allocations, &counters.accepts, &counters.epollChanges,
                          &counters.shutdowns, &counters.closes}) {
        *counter = 0;
    }
    for (auto& counter : counters.wakeUps) counter = 0;
    counters.on = true;
}

std::size_t Counting::mostWakeUps() const {
    return *std::max_element(counters.wakeUps.begin(), counters.wakeUps.end());
}

std::size_t Counting::wakeUps() const {
    std::size_t sum = 0;
    for (const auto& each : counters.wakeUps) sum += each;
    return sum;
}

}  // namespace steady

// --- what stands before the real ones -------------------------------------------------------

extern "C" {

void* __libc_malloc(std::size_t bytes);
void* __libc_calloc(std::size_t count, std::size_t bytes);
void* __libc_realloc(void* old, std::size_t bytes);
void* __libc_memalign(std::size_t alignment, std::size_t bytes);
void __libc_free(void* memory);

void* malloc(std::size_t bytes) noexcept {
    steady::count(steady::counters.allocations);
    return __libc_malloc(bytes);
}

void* calloc(std::size_t count, std::size_t bytes) noexcept {
    steady::count(steady::counters.allocations);
    return __libc_calloc(count, bytes);
}

void* realloc(void* old, std::size_t bytes) noexcept {
    steady::count(steady::counters.allocations);
    return __libc_realloc(old, bytes);
}

void* aligned_alloc(std::size_t alignment, std::size_t bytes) noexcept {
    steady::count(steady::counters.allocations);
    return __libc_memalign(alignment, bytes);
}

void* memalign(std::size_t alignment, std::size_t bytes) noexcept {
    steady::count(steady::counters.allocations);
    return __libc_memalign(alignment, bytes);
}

int posix_memalign(void** memory, std::size_t alignment, std::size_t bytes) noexcept {
    steady::count(steady::counters.allocations);
    *memory = __libc_memalign(alignment, bytes);
    return *memory == nullptr ? ENOMEM : 0;
}

void free(void* memory) noexcept {
    __libc_free(memory);
}

int accept4(int fd, sockaddr* address, socklen_t* length, int flags) {
    steady::count(steady::counters.accepts);
    return static_cast<int>(steady::call(SYS_accept4, fd, address, length, flags));
}

int epoll_ctl(int epoll, int change, int fd, epoll_event* event) noexcept {
    steady::count(steady::counters.epollChanges);
    return static_cast<int>(steady::call(SYS_epoll_ctl, epoll, change, fd, event));
}

int shutdown(int fd, int how) noexcept {
    steady::count(steady::counters.shutdowns);
    return static_cast<int>(steady::call(SYS_shutdown, fd, how));
}

int close(int fd) {
    steady::count(steady::counters.closes);
    return static_cast<int>(steady::call(SYS_close, fd));
}

ssize_t write(int fd, const void* bytes, std::size_t count) {
    if (count == 8 && fd >= 0 && fd < static_cast<int>(steady::counters.wakeUps.size())) {
        steady::count(steady::counters.wakeUps[static_cast<std::size_t>(fd)]);
    }
    return steady::call(SYS_write, fd, bytes, count);
}

}  // extern "C"
