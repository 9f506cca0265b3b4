#include <nio/sys/handover/Handover.h>

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

#include <nio/sys/SystemError.h>

#pragma GCC diagnostic ignored "-Wsign-compare"  // in musl's CMSG_NXTHDR

namespace nio {

namespace kernel {

namespace {

constexpr std::size_t mostDescriptors = 253;  // SCM_MAX_FD
constexpr std::size_t roomForOthers = 1024;

Error about(int fd, std::errc code, const char* what) {
    return {code, "descriptor " + std::to_string(fd) + " " + what};
}

std::optional<int> optionOf(int fd, int option) {
    int value = 0;
    socklen_t length = sizeof value;
    if (::getsockopt(fd, SOL_SOCKET, option, &value, &length) < 0) return std::nullopt;
    return value;
}

bool addFlag(int fd, int get, int set, int flag) {
    const int flags = ::fcntl(fd, get);
    return flags >= 0 && ::fcntl(fd, set, flags | flag) == 0;
}

Result<void> makeOurs(int fd) {
    const bool set =
        addFlag(fd, F_GETFD, F_SETFD, FD_CLOEXEC) && addFlag(fd, F_GETFL, F_SETFL, O_NONBLOCK);
    return okOrError(set ? 0 : -1, "fcntl");
}

Result<void> checkStream(int fd) {
    const std::optional<int> type = optionOf(fd, SO_TYPE);
    if (!type && errno == EBADF) return about(fd, std::errc::bad_file_descriptor, "is not open");
    if (!type) return about(fd, std::errc::not_a_socket, "is not a socket");
    sockaddr_storage address{};
    socklen_t length = sizeof address;
    if (::getsockname(fd, reinterpret_cast<sockaddr*>(&address), &length) < 0) {
        return lastError("getsockname");
    }
    const int family = address.ss_family;
    const bool isKnown = family == AF_INET || family == AF_INET6 || family == AF_UNIX;
    if (*type == SOCK_STREAM && isKnown) return {};
    return about(fd, std::errc::wrong_protocol_type, "is not a TCP or Unix-domain stream socket");
}

}  // namespace

Result<void> adoptListener(int fd) {
    if (Result<void> stream = checkStream(fd); !stream) return stream;
    if (optionOf(fd, SO_ACCEPTCONN).value_or(0) == 0) {
        return about(fd, std::errc::invalid_argument, "is not a listening socket");
    }
    return makeOurs(fd);
}

Result<void> adoptConnection(int fd) {
    if (Result<void> stream = checkStream(fd); !stream) return stream;
    if (optionOf(fd, SO_ACCEPTCONN).value_or(0) != 0) {
        return about(fd, std::errc::invalid_argument, "is a listening socket, not a connection");
    }
    sockaddr_storage address{};
    socklen_t length = sizeof address;
    if (::getpeername(fd, reinterpret_cast<sockaddr*>(&address), &length) < 0) {
        return about(fd, std::errc::not_connected, "is not connected");
    }
    return makeOurs(fd);
}

Result<UniqueFd> duplicate(int fd) {
    const int copy = ::fcntl(fd, F_DUPFD_CLOEXEC, 0);
    if (copy < 0 && errno == EBADF) return about(fd, std::errc::bad_file_descriptor, "is not open");
    return ownedOrError(copy, "fcntl F_DUPFD_CLOEXEC");
}

IoResult sendDescriptors(int socket, ByteView bytes, std::span<const int> descriptors) {
    const bool fits = !descriptors.empty() && descriptors.size() <= mostDescriptors;
    if (bytes.empty() || !fits) return IoResult::failed(std::errc::invalid_argument);
    iovec piece{const_cast<Byte*>(bytes.data()), bytes.size()};
    alignas(cmsghdr) std::array<char, CMSG_SPACE(mostDescriptors * sizeof(int))> control{};
    msghdr message{};
    message.msg_iov = &piece;
    message.msg_iovlen = 1;
    message.msg_control = control.data();
    message.msg_controllen =
        static_cast<decltype(msghdr::msg_controllen)>(CMSG_SPACE(descriptors.size_bytes()));
    cmsghdr* header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = static_cast<decltype(cmsghdr::cmsg_len)>(CMSG_LEN(descriptors.size_bytes()));
    std::memcpy(CMSG_DATA(header), descriptors.data(), descriptors.size_bytes());
    const ssize_t sent = uninterrupted([&] { return ::sendmsg(socket, &message, MSG_NOSIGNAL); });
    if (sent >= 0) return IoResult::done(static_cast<std::size_t>(sent));
    if (errno == EAGAIN) return IoResult::wouldBlock();
    return IoResult::failed(static_cast<std::errc>(errno));
}

// The descriptors come behind what else the socket asks for: credentials, a security label, a time.
ReceivedDescriptors receiveDescriptors(int socket, std::span<Byte> into) {
    if (into.empty()) return {IoResult::failed(std::errc::invalid_argument), {}};
    std::vector<UniqueFd> descriptors;
    descriptors.reserve(mostDescriptors);  // none may be lost for lack of memory
    iovec piece{into.data(), into.size()};
    alignas(cmsghdr) std::array<char, CMSG_SPACE(mostDescriptors * sizeof(int)) + roomForOthers>
        control{};
    msghdr message{};
    message.msg_iov = &piece;
    message.msg_iovlen = 1;
    message.msg_control = control.data();
    message.msg_controllen = control.size();
    const ssize_t count =
        uninterrupted([&] { return ::recvmsg(socket, &message, MSG_CMSG_CLOEXEC); });
    if (count < 0 && errno == EAGAIN) return {IoResult::wouldBlock(), {}};
    if (count < 0) return {IoResult::failed(static_cast<std::errc>(errno)), {}};
    for (cmsghdr* header = CMSG_FIRSTHDR(&message); header != nullptr;
         header = CMSG_NXTHDR(&message, header)) {
        if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) continue;
        const std::size_t bytes = header->cmsg_len - CMSG_LEN(0);
        for (std::size_t at = 0; at < bytes; at += sizeof(int)) {
            int fd = -1;
            std::memcpy(&fd, CMSG_DATA(header) + at, sizeof fd);
            descriptors.emplace_back(fd);
        }
    }
    if ((message.msg_flags & MSG_CTRUNC) != 0) {
        return {IoResult::failed(std::errc::message_size), {}};
    }
    if (count == 0) return {IoResult::closed(), {}};
    return {IoResult::done(static_cast<std::size_t>(count)), std::move(descriptors)};
}

}  // namespace kernel

namespace {

constexpr int firstPassed = 3;  // SD_LISTEN_FDS_START

Result<long> numberIn(const char* name, const char* text) {
    long number = 0;
    const std::string_view all(text);
    const auto [end, error] = std::from_chars(all.data(), all.data() + all.size(), number);
    const bool isNumber = error == std::errc() && end == all.data() + all.size() && number >= 0;
    if (!isNumber || number > 1'000'000'000) {
        return Error(std::errc::invalid_argument, std::string(name) + "=" + text);
    }
    return number;
}

// How many were passed to this process.
Result<int> passed() {
    const char* process = std::getenv("LISTEN_PID");
    const char* count = std::getenv("LISTEN_FDS");
    if (process == nullptr || count == nullptr) return 0;
    const Result<long> id = numberIn("LISTEN_PID", process);
    if (!id) return id.error();
    if (id.value() != ::getpid()) return 0;
    const Result<long> number = numberIn("LISTEN_FDS", count);
    if (!number) return number.error();
    return static_cast<int>(number.value());
}

}  // namespace

Result<std::vector<UniqueFd>> listenFds() {
    const Result<int> count = passed();
    for (const char* name : {"LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"}) ::unsetenv(name);
    if (!count) return count.error();
    const int end = firstPassed + count.value();
    for (int fd = firstPassed; fd < end; ++fd) {
        if (!kernel::addFlag(fd, F_GETFD, F_SETFD, FD_CLOEXEC)) {
            return Error(std::errc::bad_file_descriptor,
                         "LISTEN_FDS: descriptor " + std::to_string(fd) + " is not open");
        }
    }
    std::vector<UniqueFd> descriptors;
    descriptors.reserve(static_cast<std::size_t>(count.value()));
    for (int fd = firstPassed; fd < end; ++fd) descriptors.emplace_back(fd);
    return descriptors;
}

}  // namespace nio
