// Whether this build knows io_uring as it was in Linux 6.1, and the kernel's own header where it
// does. Nothing above the room includes it. NIO_WITHOUT_URING: as if there were no header.
//
// Thread: any.
#pragma once

#include <cstdint>

#include <nio/base/Cpp20.h>

#if __has_include(<linux/io_uring.h>) && !defined(NIO_WITHOUT_URING)
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
