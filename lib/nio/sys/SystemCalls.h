// The system calls of the hot path, without the C library. Its functions are cancellation points,
// which cost a multi-threaded program two atomic operations per call.
//
// Under a sanitizer the C library's functions are used, since it intercepts them to track writes.
// Nothing above this room includes this header.
//
// Thread: any.
// Errors: as the kernel returns them: a negative error number. errno is not touched.
#pragma once

#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>

#include <nio/base/Cpp20.h>

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

// Converts the result of a C library function.
inline long orError(long result) {
    return result < 0 ? -errno : result;
}

#if NIO_BARE_SYSTEM_CALLS

// Like syscall(2), but inline, so that an event touches no code of the C library: between two
// system calls every cache line of code is cold.
#if defined(__x86_64__) && !defined(__ILP32__)
inline long enter(long number, long a, long b, long c, long d, long e, long f) {
    register long fourth __asm__("r10") = d;
    register long fifth __asm__("r8") = e;
    register long sixth __asm__("r9") = f;
    long result = number;
    __asm__ volatile("syscall"
                     : "+a"(result)
                     : "D"(a), "S"(b), "d"(c), "r"(fourth), "r"(fifth), "r"(sixth)
                     : "rcx", "r11", "memory");
    return result;
}
#else
inline long enter(long number, long a, long b, long c, long d, long e, long f) {
    return orError(::syscall(number, a, b, c, d, e, f));
}
#endif

inline long asWord(const void* pointer) {
    return reinterpret_cast<long>(pointer);
}

inline ssize_t recv(int fd, void* into, std::size_t size) {
    return enter(SYS_recvfrom, fd, asWord(into), static_cast<long>(size), 0, 0, 0);
}
inline ssize_t send(int fd, const void* bytes, std::size_t size) {
    return enter(SYS_sendto, fd, asWord(bytes), static_cast<long>(size), MSG_NOSIGNAL, 0, 0);
}
inline ssize_t sendmsg(int fd, const msghdr* message) {
    return enter(SYS_sendmsg, fd, asWord(message), MSG_NOSIGNAL, 0, 0, 0);
}
inline int epollWait(int epoll, epoll_event* events, int size, int milliseconds) {
    return static_cast<int>(
        enter(SYS_epoll_pwait, epoll, asWord(events), size, milliseconds, 0, 0));
}

#else

inline ssize_t recv(int fd, void* into, std::size_t size) {
    return orError(::recv(fd, into, size, 0));
}
inline ssize_t send(int fd, const void* bytes, std::size_t size) {
    return orError(::send(fd, bytes, size, MSG_NOSIGNAL));
}
inline ssize_t sendmsg(int fd, const msghdr* message) {
    return orError(::sendmsg(fd, message, MSG_NOSIGNAL));
}
inline int epollWait(int epoll, epoll_event* events, int size, int milliseconds) {
    return static_cast<int>(orError(::epoll_wait(epoll, events, size, milliseconds)));
}

#endif

}  // namespace nio::kernel::bare
