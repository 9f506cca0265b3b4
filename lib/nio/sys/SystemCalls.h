// The system calls of every event, bare. The C library's functions are cancellation points, which
// costs a program with threads two atomic operations for each call; no thread is cancelled here.
//
// A sanitizer wants to see the C library's calls: it learns from them who has written what, and
// when. Nothing above the room includes this header.
//
// Thread: any.
// Errors: as those of the C library, -1 and errno.
#pragma once

#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstddef>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define NIO_BARE_SYSTEM_CALLS 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define NIO_BARE_SYSTEM_CALLS 0
#endif
#endif

#if !defined(NIO_BARE_SYSTEM_CALLS) && defined(SYS_recvfrom) && defined(SYS_sendto) && \
    defined(SYS_sendmsg) && defined(SYS_epoll_pwait)
#define NIO_BARE_SYSTEM_CALLS 1
#endif

namespace nio::kernel::bare {

#if NIO_BARE_SYSTEM_CALLS

inline ssize_t recv(int fd, void* into, std::size_t size) {
    return ::syscall(SYS_recvfrom, fd, into, size, 0, nullptr, nullptr);
}
inline ssize_t send(int fd, const void* bytes, std::size_t size) {
    return ::syscall(SYS_sendto, fd, bytes, size, MSG_NOSIGNAL, nullptr, 0);
}
inline ssize_t sendmsg(int fd, const msghdr* message) {
    return ::syscall(SYS_sendmsg, fd, message, MSG_NOSIGNAL);
}
inline int epollWait(int epoll, epoll_event* events, int size, int milliseconds) {
    return static_cast<int>(
        ::syscall(SYS_epoll_pwait, epoll, events, size, milliseconds, nullptr, std::size_t{0}));
}

#else

inline ssize_t recv(int fd, void* into, std::size_t size) {
    return ::recv(fd, into, size, 0);
}
inline ssize_t send(int fd, const void* bytes, std::size_t size) {
    return ::send(fd, bytes, size, MSG_NOSIGNAL);
}
inline ssize_t sendmsg(int fd, const msghdr* message) {
    return ::sendmsg(fd, message, MSG_NOSIGNAL);
}
inline int epollWait(int epoll, epoll_event* events, int size, int milliseconds) {
    return ::epoll_wait(epoll, events, size, milliseconds);
}

#endif

}  // namespace nio::kernel::bare
