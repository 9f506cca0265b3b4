#include <nio/sys/BoundedWrite.h>

#include <limits.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>

namespace nio::kernel {

namespace {

// A writable pipe accepts PIPE_BUF bytes. A terminal may have room for 256, and uses two for a
// newline.
constexpr std::size_t terminalBytes = 128;

std::size_t pieceOf(int fd, std::size_t size) {
    if (size <= terminalBytes) return size;
    return ::isatty(fd) == 1 ? terminalBytes : std::min<std::size_t>(size, PIPE_BUF);
}

std::int64_t millisecondsNow() {
    timespec now{};
    (void)::clock_gettime(CLOCK_MONOTONIC, &now);
    return std::int64_t{now.tv_sec} * 1000 + now.tv_nsec / 1'000'000;
}

#ifdef RWF_NOWAIT
bool isFile(int fd) {
    struct stat status {};
    return ::fstat(fd, &status) == 0 && S_ISREG(status.st_mode);
}

// Another process may have filled the pipe since poll(). A file may wait for its disk; kernels
// before 6.4 do not support the flag for pipes.
ssize_t writeReady(int fd, const char* bytes, std::size_t size) {
    const iovec piece{const_cast<char*>(bytes), size};
    const ssize_t count = ::pwritev2(fd, &piece, 1, -1, RWF_NOWAIT);
    if (count >= 0 || errno == EPIPE || (errno == EAGAIN && !isFile(fd))) return count;
    return ::write(fd, bytes, size);
}
#else
ssize_t writeReady(int fd, const char* bytes, std::size_t size) {
    return ::write(fd, bytes, size);
}
#endif

// False: timed out. If poll() fails, the write reports why.
bool isReady(int fd, std::int64_t deadline) {
    for (;;) {
        pollfd ready{fd, POLLOUT, 0};
        const std::int64_t left = std::max<std::int64_t>(deadline - millisecondsNow(), 0);
        const int result = ::poll(&ready, 1, static_cast<int>(left));
        if (result >= 0 || errno != EINTR) return result != 0;
    }
}

}  // namespace

BoundedWrite writeWithin(int fd, const char* bytes, std::size_t size, int milliseconds) noexcept {
    const int code = errno;
    const std::int64_t deadline = millisecondsNow() + milliseconds;
    BoundedWrite result;
    while (result.bytes < size) {
        result.isBlocked = !isReady(fd, deadline);
        if (result.isBlocked) break;
        const std::size_t piece = pieceOf(fd, size - result.bytes);
        const ssize_t written = writeReady(fd, bytes + result.bytes, piece);
        if (written < 0 && errno == EINTR) continue;
        result.isBlocked = written < 0 && errno == EAGAIN;
        if (written <= 0) break;
        result.bytes += static_cast<std::size_t>(written);
    }
    errno = code;
    return result;
}

}  // namespace nio::kernel
