#include "echo_client/report/OutputFile.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <thread>

#include <nio/sys/LineSink.h>

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
int openWithoutWaiting(const std::string& path, int more = 0) {
    return ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK | more,
                  0666);
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
    return {code, hasNoReader ? "the FIFO has no reader" : code.message()};
}

nio::UniqueFd duplicateOf(int fd) {
    return nio::UniqueFd(::fcntl(fd, F_DUPFD_CLOEXEC, 0));
}

std::optional<int> streamAt(const std::optional<OutputFile::Identity>& identity) {
    for (const int fd : {STDOUT_FILENO, STDERR_FILENO}) {
        if (identity && OutputFile::identityOf(fd) == identity) return fd;
    }
    return std::nullopt;
}

// Both may be one terminal, pipe or file: then only the name tells which is meant.
std::optional<int> streamNamed(const std::string& path) {
    if (path == OutputFile::standardOutput) return STDOUT_FILENO;
    if (path == "/dev/stdout" || path == "/dev/fd/1") return STDOUT_FILENO;
    if (path == "/dev/stderr" || path == "/dev/fd/2") return STDERR_FILENO;
    return std::nullopt;
}

// Waits for a reader that pauses.
bool writeAll(int fd, std::string_view text) {
    while (!text.empty()) {
        const ssize_t written = ::write(fd, text.data(), text.size());
        if (written >= 0) {
            text.remove_prefix(static_cast<std::size_t>(written));
        } else if (errno == EAGAIN) {
            pollfd entry{fd, POLLOUT, 0};
            (void)::poll(&entry, 1, -1);
        } else if (errno != EINTR) {
            return false;
        }
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
    std::optional<int> standard = streamNamed(path);
    if (!standard) {
        file.fd_ = nio::UniqueFd(openWithoutWaiting(path, O_EXCL));
        file.isNew_ = static_cast<bool>(file.fd_);
        if (!file.isNew_) file.fd_ = openPatiently(path);
        if (!file.fd_) return lastError(path);
        standard = streamAt(file.identity());
    }
    if (standard) {
        file.fd_ = duplicateOf(*standard);
        if (!file.fd_) return lastError(path);
    } else {
        (void)::fcntl(file.fd_.get(), F_SETFL, 0);
    }
    file.isStandardOutput_ = standard == STDOUT_FILENO;
    file.isOwn_ = !standard && isRegular(file.fd_.get());
    return file;
}

OutputFile::~OutputFile() {
    // Another process may have written to it.
    if (fd_ && isNew_ && !begun_ && statusOf(fd_.get()).st_size == 0) discard();
}

void OutputFile::write(const std::string& text) {
    if (!fd_) return;
    begin();
    good_ = good_ && writeAll(fd_.get(), text);
}

void OutputFile::writeSoon(const std::string& text) {
    if (!fd_ || !good_) return;
    begin();
    const auto written =
        nio::kernel::writeWithin(fd_.get(), text.data(), text.size(), soonMilliseconds);
    good_ = good_ && written.bytes == text.size();
}

void OutputFile::begin() {
    if (!std::exchange(begun_, true)) empty();
}

void OutputFile::empty() {
    if (isOwn_) good_ = ::ftruncate(fd_.get(), 0) == 0 && good_;
}

void OutputFile::discard() {
    if (!isOwn_) return;
    std::error_code error;
    // Another process may have put a file of its own in its place.
    struct stat now {};
    const bool isThere =
        ::lstat(path_.c_str(), &now) == 0 && identity() == Identity(now.st_dev, now.st_ino);
    if (isNew_ && isThere && std::filesystem::remove(path_, error)) return;
    empty();
}

}  // namespace load
