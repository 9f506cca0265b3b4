#include "echo_client/report/OutputFile.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <climits>
#include <filesystem>
#include <thread>

namespace load {

namespace {

// A shell starts the reader of a FIFO in the background.
constexpr std::chrono::seconds readerPatience{5};
constexpr std::chrono::milliseconds readerPause{20};
constexpr int soonMilliseconds = 1000;

struct stat statusOf(int fd) {
    struct stat status {};
    if (::fstat(fd, &status) != 0) status.st_mode = 0;
    return status;
}

bool isNull(const struct stat& status) {
    struct stat null {};
    return ::stat("/dev/null", &null) == 0 && S_ISCHR(status.st_mode) &&
           status.st_rdev == null.st_rdev;
}

bool isRegular(int fd) {
    return S_ISREG(statusOf(fd).st_mode);
}

bool isFifo(const std::string& path) {
    struct stat status {};
    return ::stat(path.c_str(), &status) == 0 && S_ISFIFO(status.st_mode);
}

// It would wait for a reader of a FIFO without end, and for a modem.
int openWithoutWaiting(const std::string& path) {
    return ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0666);
}

nio::UniqueFd openPatiently(const std::string& path) {
    const auto end = std::chrono::steady_clock::now() + readerPatience;
    int fd = openWithoutWaiting(path);
    while (fd < 0 && errno == ENXIO && isFifo(path) && std::chrono::steady_clock::now() < end) {
        std::this_thread::sleep_for(readerPause);
        fd = openWithoutWaiting(path);
    }
    return nio::UniqueFd(fd);
}

nio::Error lastError(const std::string& path) {
    const std::error_code code(errno, std::generic_category());
    const bool hasNoReader = code == std::errc::no_such_device_or_address && isFifo(path);
    return {code, hasNoReader ? "nobody reads this FIFO" : code.message()};
}

nio::UniqueFd duplicateOf(int fd) {
    return nio::UniqueFd(::fcntl(fd, F_DUPFD_CLOEXEC, 0));
}

std::optional<int> standardStream(const OutputFile::Identity& identity) {
    for (const int fd : {STDOUT_FILENO, STDERR_FILENO}) {
        if (OutputFile::identityOf(fd) == identity) return fd;
    }
    return std::nullopt;
}

// So much a pipe that is writable takes without blocking. The reader may pause for `patience`
// milliseconds, or without end (-1).
bool writeAll(int fd, std::string_view text, int patience) {
    while (!text.empty()) {
        pollfd entry{fd, POLLOUT, 0};
        const int ready = ::poll(&entry, 1, patience);
        if (ready == 0) return false;
        const ssize_t written =
            ::write(fd, text.data(), std::min<std::size_t>(text.size(), PIPE_BUF));
        if (written < 0 && errno != EAGAIN && errno != EINTR) return false;
        if (written > 0) text.remove_prefix(static_cast<std::size_t>(written));
    }
    return true;
}

}  // namespace

std::optional<OutputFile::Identity> OutputFile::identityOf(int fd) {
    const struct stat status = statusOf(fd);
    if (fd < 0 || status.st_mode == 0 || isNull(status)) return std::nullopt;
    return Identity(status.st_dev, status.st_ino);
}

nio::Result<OutputFile> OutputFile::open(const std::string& path) {
    OutputFile file;
    file.path_ = path;
    file.fd_ = path == standardOutput ? duplicateOf(STDOUT_FILENO) : openPatiently(path);
    if (!file.fd_) return lastError(path);
    const auto identity = file.identity();
    const auto standard = identity ? standardStream(*identity) : std::nullopt;
    file.isOwn_ = !standard && isRegular(file.fd_.get());
    if (standard) {
        file.fd_ = duplicateOf(*standard);
    } else {
        (void)::fcntl(file.fd_.get(), F_SETFL, 0);
    }
    if (!file.fd_) return lastError(path);
    return file;
}

bool OutputFile::isStandardOutput() const {
    const auto own = identity();
    return path_ == standardOutput || (own && own == identityOf(STDOUT_FILENO));
}

void OutputFile::write(const std::string& text) {
    write(text, -1);
}

void OutputFile::writeSoon(const std::string& text) {
    write(text, soonMilliseconds);
}

void OutputFile::write(const std::string& text, int patience) {
    if (!fd_) return;
    if (!std::exchange(begun_, true)) empty();
    good_ = good_ && writeAll(fd_.get(), text, patience);
}

void OutputFile::empty() {
    if (isOwn_) good_ = ::ftruncate(fd_.get(), 0) == 0 && good_;
}

void OutputFile::discard() {
    if (!isOwn_) return;
    std::error_code error;
    const bool isLink = std::filesystem::is_symlink(path_, error);
    if (!isLink && std::filesystem::remove(path_, error)) return;
    empty();
}

}  // namespace load
