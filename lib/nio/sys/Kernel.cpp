// The real kernel, part one: stream sockets. Readiness and files are beside it.
#include <nio/sys/Kernel.h>

#include <fcntl.h>
#include <linux/sockios.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cassert>
#include <cerrno>

#include <nio/sys/SystemCalls.h>
#include <nio/sys/SystemError.h>

namespace nio::kernel {

namespace {

int domainOf(SocketAddress::Family family) {
    switch (family) {
        case SocketAddress::Family::none: return AF_UNSPEC;
        case SocketAddress::Family::ipv4: return AF_INET;
        case SocketAddress::Family::ipv6: return AF_INET6;
        case SocketAddress::Family::unix_: return AF_UNIX;
    }
    return AF_UNSPEC;
}

int setOption(int fd, int level, int option, int value) {
    return ::setsockopt(fd, level, option, &value, sizeof value);
}

using AddressCall = int (*)(int, sockaddr*, socklen_t*);

Result<SocketAddress> addressOf(int fd, AddressCall call, const char* name) {
    sockaddr_storage storage{};
    socklen_t length = sizeof storage;
    auto* address = reinterpret_cast<sockaddr*>(&storage);
    if (call(fd, address, &length) < 0) return lastError(name);
    return SocketAddress::fromSystem(address, length);
}

IoResult lastFailure() {
    return IoResult::failed(static_cast<std::errc>(errno));
}

// A transfer's negative result.
IoResult notDone(ssize_t result) {
    if (result == -EAGAIN) return IoResult::wouldBlock();
    return IoResult::failed(static_cast<std::errc>(-result));
}

// Out of line, so that a transfer that succeeds saves no registers.
[[gnu::cold, gnu::noinline]] IoResult notReceived(int fd, std::span<Byte> into, ssize_t result) {
    if (result == 0) return IoResult::closed();
    return result == -EINTR ? receive(fd, into) : notDone(result);
}

[[gnu::cold, gnu::noinline]] IoResult notSent(int fd, ByteView bytes, ssize_t result) {
    return result == -EINTR ? send(fd, bytes) : notDone(result);
}

}  // namespace

Result<UniqueFd> openStreamSocket(SocketAddress::Family family) {
    const int type = SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK;
    return ownedOrError(::socket(domainOf(family), type, 0), "socket");
}

Result<void> bind(int fd, const SocketAddress& address) {
    if (::bind(fd, address.data(), address.length()) < 0) return lastError("bind", address);
    return {};
}

Result<void> bindSource(int fd, const SocketAddress& address) {
    const int on = 1;
    // Without this option bind() reserves the port against every peer; a failure only reduces the
    // number of available ports.
    if (!address.isUnix()) ::setsockopt(fd, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &on, sizeof on);
    return bind(fd, address);
}

Result<void> listen(int fd, int backlog) {
    return okOrError(::listen(fd, backlog), "listen");
}

Result<SocketAddress> localAddress(int fd) {
    return addressOf(fd, ::getsockname, "getsockname");
}

Result<SocketAddress> peerAddress(int fd) {
    return addressOf(fd, ::getpeername, "getpeername");
}

Result<void> setReuseAddress(int fd, bool on) {
    return okOrError(setOption(fd, SOL_SOCKET, SO_REUSEADDR, on), "setsockopt SO_REUSEADDR");
}

Result<void> setReusePort(int fd, bool on) {
    return okOrError(setOption(fd, SOL_SOCKET, SO_REUSEPORT, on), "setsockopt SO_REUSEPORT");
}

Result<void> setV6Only(int fd, bool on) {
    return okOrError(setOption(fd, IPPROTO_IPV6, IPV6_V6ONLY, on), "setsockopt IPV6_V6ONLY");
}

Result<void> setNoDelay(int fd, bool on) {
    const int result = setOption(fd, IPPROTO_TCP, TCP_NODELAY, on);
    if (result < 0 && errno == EOPNOTSUPP) return {};
    return okOrError(result, "setsockopt TCP_NODELAY");
}

Result<void> setKeepAlive(int fd, std::chrono::seconds idle) {
    constexpr std::chrono::hours longest{9};  // Linux takes 32,767 s
    constexpr int probes = 5;
    if (idle.count() < 1 || idle > longest) {
        return Error(std::errc::invalid_argument, "setsockopt TCP_KEEPIDLE");
    }
    const int seconds = static_cast<int>(idle.count());
    if (setOption(fd, IPPROTO_TCP, TCP_KEEPIDLE, seconds) < 0) {
        if (errno == EOPNOTSUPP) return {};
        return lastError("setsockopt TCP_KEEPIDLE");
    }
    const bool isSet =
        setOption(fd, IPPROTO_TCP, TCP_KEEPINTVL, std::max(1, seconds / probes)) == 0 &&
        setOption(fd, IPPROTO_TCP, TCP_KEEPCNT, probes) == 0 &&
        setOption(fd, SOL_SOCKET, SO_KEEPALIVE, 1) == 0;
    return okOrError(isSet ? 0 : -1, "setsockopt SO_KEEPALIVE");
}

Result<void> setSendBufferBytes(int fd, int bytes) {
    return okOrError(setOption(fd, SOL_SOCKET, SO_SNDBUF, bytes), "setsockopt SO_SNDBUF");
}

Result<void> setReceiveBufferBytes(int fd, int bytes) {
    return okOrError(setOption(fd, SOL_SOCKET, SO_RCVBUF, bytes), "setsockopt SO_RCVBUF");
}

Result<void> setResetOnClose(int fd) {
    const linger atOnce{1, 0};
    const int result = ::setsockopt(fd, SOL_SOCKET, SO_LINGER, &atOnce, sizeof atOnce);
    return okOrError(result, "setsockopt SO_LINGER");
}

namespace {

// Some sandboxes know only accept().
int acceptOne(int fd) {
    int accepted = ::accept4(fd, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (accepted >= 0 || (errno != ENOSYS && errno != EPERM)) return accepted;
    accepted = ::accept(fd, nullptr, nullptr);
    if (accepted < 0) return accepted;
    const int flags = ::fcntl(accepted, F_GETFL);
    const bool set = ::fcntl(accepted, F_SETFD, FD_CLOEXEC) == 0 &&
                     ::fcntl(accepted, F_SETFL, flags | O_NONBLOCK) == 0;
    if (set) return accepted;
    const int error = errno;
    (void)::close(accepted);
    errno = error;
    return -1;
}

}  // namespace

Accepted accept(int fd) {
    for (;;) {
        const int accepted = acceptOne(fd);
        if (accepted >= 0) return {IoResult::done(0), UniqueFd(accepted)};
        if (errno == EAGAIN) return {IoResult::wouldBlock(), {}};
        if (errno != EINTR && errno != ECONNABORTED && errno != EPROTO) return {lastFailure(), {}};
    }
}

IoResult connect(int fd, const SocketAddress& address) {
    const int result =
        uninterrupted([&] { return ::connect(fd, address.data(), address.length()); });
    if (result == 0) return IoResult::done(0);
    // EALREADY: the call was interrupted after it had started. EAGAIN is a failure: the backlog of
    // a Unix-domain listener is full, and no readiness event would signal when to retry.
    if (errno == EINPROGRESS || errno == EALREADY) return IoResult::wouldBlock();
    return lastFailure();
}

namespace {

// If no socket listens on a port of the ephemeral range, the kernel may choose that port as the
// source, and TCP then connects the socket to itself (RFC 9293, simultaneous open).
bool isConnectedToItself(int fd) {
    const Result<SocketAddress> local = localAddress(fd);
    if (!local || local.value().port() == 0) return false;
    const Result<SocketAddress> peer = peerAddress(fd);
    return peer && peer.value() == local.value();
}

}  // namespace

IoResult connectOutcome(int fd) {
    int reason = 0;
    socklen_t length = sizeof reason;
    if (::getsockopt(fd, SOL_SOCKET, SO_ERROR, &reason, &length) < 0) return lastFailure();
    if (reason != 0) return IoResult::failed(static_cast<std::errc>(reason));
    if (!isConnectedToItself(fd)) return IoResult::done(0);
    // A normal close would keep the port from its server for a minute (TIME_WAIT).
    (void)setResetOnClose(fd).ok();
    return IoResult::failed(std::errc::connection_refused);
}

IoResult receive(int fd, std::span<Byte> into) {
    assert(!into.empty());
    const ssize_t count = bare::recv(fd, into.data(), into.size());
    if (count > 0) [[likely]]
        return IoResult::done(static_cast<std::size_t>(count));
    return notReceived(fd, into, count);
}

IoResult send(int fd, ByteView bytes) {
    const ssize_t count = bare::send(fd, bytes.data(), bytes.size());
    if (count >= 0) [[likely]]
        return IoResult::done(static_cast<std::size_t>(count));
    return notSent(fd, bytes, count);
}

IoResult sendPieces(int fd, std::span<const iovec> pieces) {
    msghdr message{};
    message.msg_iov = const_cast<iovec*>(pieces.data());
    message.msg_iovlen = static_cast<decltype(msghdr::msg_iovlen)>(pieces.size());
    const ssize_t count = bare::sendmsg(fd, &message);
    if (count >= 0) [[likely]]
        return IoResult::done(static_cast<std::size_t>(count));
    return count == -EINTR ? sendPieces(fd, pieces) : notDone(count);
}

Result<void> shutdownWrite(int fd) {
    return okOrError(::shutdown(fd, SHUT_WR), "shutdown");
}

std::size_t undeliveredBytes(int fd) {
    int bytes = 0;
    if (::ioctl(fd, SIOCOUTQ, &bytes) < 0) return 0;
    return static_cast<std::size_t>(bytes);
}

std::chrono::milliseconds establishedFor(int fd) {
    tcp_info info{};
    socklen_t length = sizeof info;
    if (::getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &length) < 0) return {};
    return std::chrono::milliseconds(info.tcpi_last_data_sent);
}

// Not repeated after EINTR: Linux has already freed the descriptor number, which another thread may
// be using.
void close(int fd) noexcept {
    ::close(fd);
}

}  // namespace nio::kernel
