// The webhooks' client is libcurl, which knows nothing of nio::kernel: it calls libc. A shared
// library finds the functions of the program first, so these bring its sockets to the simulated
// kernel, and its clock. Whatever else comes here, of libcurl or of others, goes on to libc.
//
// libcurl may hold calls back until its clock has gone on; with the real one no run would be the
// same twice.
#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdarg>
#include <cstring>
#include <ctime>

#include <nio/sys/Kernel.h>

#include "simulation/Machine.h"

using simulation::Descriptor;
using simulation::Machine;

namespace {

bool isSimulated(int fd) {
    return Machine::hasCurrent() && Machine::current().find(fd) != nullptr;
}

template <class Function>
Function* libc(const char* name) {
    return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

int failed(std::errc code) {
    errno = static_cast<int>(code);
    return -1;
}

ssize_t outcome(const nio::IoResult& result) {
    if (result.isDone()) return static_cast<ssize_t>(result.bytes);
    if (result.status == nio::IoStatus::closed) return 0;
    return failed(result.isFailed() ? result.code : std::errc::resource_unavailable_try_again);
}

// libcurl asks only whether a connection that it has kept is still there: no octet is looked at.
ssize_t peek(int fd) {
    const Descriptor& socket = Machine::current().used(fd);
    if (!socket.connection->readiness(socket.side).input) {
        return failed(std::errc::resource_unavailable_try_again);
    }
    return socket.connection->unread(socket.side) > 0 ? 1 : 0;
}

// libcurl only notes it.
int tellAddress(sockaddr* address, socklen_t* length) {
    const auto any = nio::SocketAddress::loopback4(0);
    std::memcpy(address, any.data(), std::min(*length, any.length()));
    *length = any.length();
    return 0;
}

}  // namespace

int onConnect(int fd, const sockaddr* address, socklen_t length) __asm__("connect");
int onConnect(int fd, const sockaddr* address, socklen_t length) {
    if (!isSimulated(fd)) return libc<decltype(onConnect)>("connect")(fd, address, length);
    const auto result = nio::kernel::connect(fd, nio::SocketAddress::fromSystem(address, length));
    return result.isFailed() ? failed(result.code) : failed(std::errc::operation_in_progress);
}

ssize_t onReceive(int fd, void* into, std::size_t size, int flags) __asm__("recv");
ssize_t onReceive(int fd, void* into, std::size_t size, int flags) {
    if (!isSimulated(fd)) return libc<decltype(onReceive)>("recv")(fd, into, size, flags);
    if ((flags & MSG_PEEK) != 0) return peek(fd);
    return outcome(nio::kernel::receive(fd, std::span(static_cast<nio::Byte*>(into), size)));
}

ssize_t onSend(int fd, const void* from, std::size_t size, int flags) __asm__("send");
ssize_t onSend(int fd, const void* from, std::size_t size, int flags) {
    if (!isSimulated(fd)) return libc<decltype(onSend)>("send")(fd, from, size, flags);
    return outcome(nio::kernel::send(fd, std::span(static_cast<const nio::Byte*>(from), size)));
}

int onClose(int fd) __asm__("close");
int onClose(int fd) {
    if (!isSimulated(fd)) return libc<decltype(onClose)>("close")(fd);
    nio::kernel::close(fd);
    return 0;
}

int onPoll(pollfd* entries, nfds_t count, int time) __asm__("poll");
int onPoll(pollfd* entries, nfds_t count, int time) {
    if (count == 0 || !isSimulated(entries->fd)) {
        return libc<decltype(onPoll)>("poll")(entries, count, time);
    }
    return static_cast<int>(nio::kernel::waitPoll(std::span(entries, count), {}).value());
}

// nio::watch duplicates what libcurl has opened.
int onControl(int fd, int command, ...) __asm__("fcntl");
int onControl(int fd, int command, ...) {
    va_list arguments;
    va_start(arguments, command);
    void* const argument = va_arg(arguments, void*);
    va_end(arguments);
    if (!isSimulated(fd)) return libc<decltype(onControl)>("fcntl")(fd, command, argument);
    return command == F_DUPFD_CLOEXEC ? Machine::current().duplicate(fd) : 0;
}

int onGetOption(int fd, int level, int name, void* value, socklen_t* size) __asm__("getsockopt");
int onGetOption(int fd, int level, int name, void* value, socklen_t* size) {
    if (!isSimulated(fd)) {
        return libc<decltype(onGetOption)>("getsockopt")(fd, level, name, value, size);
    }
    const bool asksForError = level == SOL_SOCKET && name == SO_ERROR;
    const nio::IoResult result = asksForError ? nio::kernel::connectOutcome(fd) : nio::IoResult{};
    *static_cast<int*>(value) = result.isFailed() ? static_cast<int>(result.code) : 0;
    return 0;
}

int onSetOption(int fd, int level, int name, const void* value,
                socklen_t size) __asm__("setsockopt");
int onSetOption(int fd, int level, int name, const void* value, socklen_t size) {
    if (isSimulated(fd)) return 0;
    return libc<decltype(onSetOption)>("setsockopt")(fd, level, name, value, size);
}

int onLocalAddress(int fd, sockaddr* address, socklen_t* length) __asm__("getsockname");
int onLocalAddress(int fd, sockaddr* address, socklen_t* length) {
    if (isSimulated(fd)) return tellAddress(address, length);
    return libc<decltype(onLocalAddress)>("getsockname")(fd, address, length);
}

int onPeerAddress(int fd, sockaddr* address, socklen_t* length) __asm__("getpeername");
int onPeerAddress(int fd, sockaddr* address, socklen_t* length) {
    if (isSimulated(fd)) return tellAddress(address, length);
    return libc<decltype(onPeerAddress)>("getpeername")(fd, address, length);
}

int onClock(clockid_t clock, timespec* time) __asm__("clock_gettime");
int onClock(clockid_t clock, timespec* time) {
    const bool isSimulatedOne = Machine::hasCurrent() && clock == CLOCK_MONOTONIC;
    if (!isSimulatedOne) return libc<decltype(onClock)>("clock_gettime")(clock, time);
    const auto now = Machine::current().now().time_since_epoch();
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(now);
    *time = {static_cast<time_t>(seconds.count()), static_cast<long>((now - seconds).count())};
    return 0;
}
