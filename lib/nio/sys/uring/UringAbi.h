// Whether this build supports io_uring as of Linux 6.1; includes the kernel's header if so. Nothing
// above this room includes it. Needs std::atomic_ref, which libc++ has since version 19.
// NIO_WITHOUT_URING: disables io_uring.
//
// Thread: any.
#pragma once

#include <cstdint>
#include <version>

#include <nio/base/Cpp20.h>

#if __has_include(<linux/io_uring.h>) && defined(__cpp_lib_atomic_ref) && \
    !defined(NIO_WITHOUT_URING)
#include <linux/io_uring.h>
#define NIO_HAS_URING_HEADER 1
#else
#define NIO_HAS_URING_HEADER 0
#endif

#if defined(IORING_SETUP_DEFER_TASKRUN) && defined(IORING_RECV_MULTISHOT)
#define NIO_HAS_URING 1
#else
#define NIO_HAS_URING 0
#endif
