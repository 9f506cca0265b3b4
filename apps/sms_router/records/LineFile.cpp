#include "sms_router/records/LineFile.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>

namespace router {

namespace {

std::error_code lastError() {
    return {errno, std::system_category()};
}

// Another user could put a link there, and have us append to a file of ours.
bool isInFolderOfAll(const std::string& path) {
    const std::string folder = std::filesystem::path(path).parent_path();
    struct stat found {};
    return ::stat(folder.empty() ? "." : folder.c_str(), &found) != 0 ||
           (found.st_mode & S_IWOTH) != 0;
}

nio::UniqueFd openToAppend(const std::string& path) {
    // Opening a pipe without a reader would block the start.
    constexpr int flags = O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK;
    const bool follows = !isInFolderOfAll(path);
    nio::UniqueFd fd(::open(path.c_str(), flags | (follows ? 0 : O_NOFOLLOW), 0640));
    if (fd) return fd;
    const std::error_code error = lastError();
    if (!follows && error.value() == ELOOP) {
        throw std::system_error(
            std::make_error_code(std::errc::operation_not_permitted),
            "records " + path + ": a symbolic link in a folder that all users may write");
    }
    const char* why = error.value() == ENXIO ? ": a pipe without a reader" : "";
    throw std::system_error(error, "records " + path + why);
}

// Only a pipe makes anybody wait here.
bool isReady(int fd) {
    constexpr int milliseconds = 1000;
    pollfd entry{fd, POLLOUT, 0};
    return ::poll(&entry, 1, milliseconds) > 0;
}

}  // namespace

LineFile::LineFile(std::string path) : path_(std::move(path)), fd_(openToAppend(path_)) {}

void LineFile::reopen() {
    fd_ = openToAppend(path_);
    torn_ = false;
}

LineFile::Written LineFile::write(std::string_view lines) {
    std::string_view newline = "\n";
    if (torn_) {
        if (const std::error_code error = writeAll(newline)) {
            return {error, static_cast<std::size_t>(std::count(lines.begin(), lines.end(), '\n'))};
        }
        torn_ = false;
    }
    std::string_view left = lines;
    const std::error_code error = writeAll(left);
    if (!error) return {};
    const std::string_view written = lines.substr(0, lines.size() - left.size());
    // rfind() gives npos, which is -1, where no line was finished.
    cutTornLine(written.size() - (written.rfind('\n') + 1));
    return {error, static_cast<std::size_t>(std::count(left.begin(), left.end(), '\n'))};
}

std::error_code LineFile::writeAll(std::string_view& left) {
    while (!left.empty()) {
        const ssize_t wrote = ::write(fd_.get(), left.data(), left.size());
        if (wrote >= 0)
            left.remove_prefix(static_cast<std::size_t>(wrote));
        else if (errno != EINTR && (errno != EAGAIN || !isReady(fd_.get())))
            return lastError();
    }
    return {};
}

void LineFile::cutTornLine(std::size_t bytes) {
    if (bytes == 0) return;
    struct stat now {};
    const bool isFile = ::fstat(fd_.get(), &now) == 0 && S_ISREG(now.st_mode);
    torn_ = !isFile || ::ftruncate(fd_.get(), now.st_size - static_cast<off_t>(bytes)) != 0;
}

}  // namespace router
