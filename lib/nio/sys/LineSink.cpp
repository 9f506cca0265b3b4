#include <nio/sys/LineSink.h>

#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <mutex>
#include <new>

#include <nio/base/Log.h>

namespace nio {

namespace kernel {

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

}  // namespace kernel

namespace {

using std::chrono::steady_clock;

constexpr std::chrono::nanoseconds mostPatience = std::chrono::milliseconds(50);
constexpr int percentOfTime = 100;

// Shared by all sinks: standard output and standard error may be the same pipe.
std::mutex writing;

// In a forked process a thread of the parent may have held the lock.
[[maybe_unused]] const int atFork =
    ::pthread_atfork(nullptr, nullptr, [] { new (&writing) std::mutex; });

void tellDroppedAtExit() {
    standardError().tellDropped();
    standardOutput().tellDropped();
}

// Never destroyed: a dispatcher may log during the destruction of static objects. Never allocated.
template <int fd>
LineSink& standardStream(const char* name) {
    alignas(LineSink) static std::byte memory[sizeof(LineSink)];
    static LineSink* const sink = new (memory) LineSink(fd, name);
    return *sink;
}

}  // namespace

LineSink::LineSink(int fd, const char* name) : fd_(fd), name_(name), patience_(mostPatience) {}

bool LineSink::write(std::initializer_list<std::string_view> pieces) noexcept {
    return write(pieces, Wait::aLittle);
}

bool LineSink::writeAtEnd(std::initializer_list<std::string_view> pieces) noexcept {
    return write(pieces, Wait::atEnd);
}

bool LineSink::write(std::initializer_list<std::string_view> pieces, Wait wait) {
    const std::lock_guard lock(writing);
    if (tellDropped(wait) && put(pieces, wait)) return true;
    ++dropped_;
    [[maybe_unused]] static const int atExit = std::atexit(tellDroppedAtExit);
    return false;
}

void LineSink::tellDropped() noexcept {
    const std::lock_guard lock(writing);
    (void)tellDropped(Wait::no);
}

std::uint64_t LineSink::dropped() const noexcept {
    const std::lock_guard lock(writing);
    return dropped_;
}

// False: there is a line about dropped lines, and it could not be written.
bool LineSink::tellDropped(Wait wait) {
    const std::uint64_t count = dropped_ - told_;
    if (count == 0 || name_ == nullptr) return true;
    std::array<char, 24> digits{};
    const char* end = std::to_chars(digits.data(), digits.data() + digits.size(), count).ptr;
    const std::string_view number(digits.data(), static_cast<std::size_t>(end - digits.data()));
    const std::string_view what = count == 1 ? " log line dropped: " : " log lines dropped: ";
    const std::string_view why = wasBlocked_ ? " was blocked\n" : " could not be written\n";
    if (!put({"nio: ", number, what, name_, why}, wait)) return false;
    told_ = dropped_;
    return true;
}

bool LineSink::put(std::initializer_list<std::string_view> pieces, Wait wait) {
    std::array<char, 4096> line;
    std::size_t size = 0;
    if (isTorn_) line[size++] = '\n';
    for (std::string_view piece : pieces) {
        while (!piece.empty()) {
            if (size == line.size()) {
                if (!flush({line.data(), size}, wait)) return false;
                isTorn_ = true;
                size = 0;
            }
            const std::size_t part = piece.copy(line.data() + size, line.size() - size);
            size += part;
            piece.remove_prefix(part);
        }
    }
    return flush({line.data(), size}, wait);
}

bool LineSink::flush(std::string_view bytes, Wait wait) {
    const steady_clock::time_point begin = steady_clock::now();
    patience_ = std::min(mostPatience, patience_ + (begin - patientAt_) / percentOfTime);
    std::chrono::nanoseconds longest = wait == Wait::no ? std::chrono::nanoseconds(0) : patience_;
    if (wait == Wait::atEnd) longest = std::max(longest, patienceAtEnd_);
    const kernel::BoundedWrite written = kernel::writeWithin(
        fd_, bytes.data(), bytes.size(),
        static_cast<int>(std::chrono::duration_cast<std::chrono::milliseconds>(longest).count()));
    patientAt_ = steady_clock::now();
    patience_ -= std::min(patience_, patientAt_ - begin);
    if (wait == Wait::atEnd) patienceAtEnd_ -= std::min(patienceAtEnd_, patientAt_ - begin);
    wasBlocked_ = written.isBlocked;
    const bool isDone = written.bytes == bytes.size();
    isTorn_ = !isDone && (isTorn_ || written.bytes > 0);
    return isDone;
}

LineSink& standardError() noexcept {
    return standardStream<STDERR_FILENO>("standard error");
}

LineSink& standardOutput() noexcept {
    return standardStream<STDOUT_FILENO>("standard output");
}

// Declared in base, which has no descriptors.
void logToStandardError(LogLevel level, std::string_view line) noexcept {
    (void)standardError().write({"nio: ", toString(level), ": ", line, "\n"});
}

}  // namespace nio
