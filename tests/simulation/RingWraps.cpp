// Where the linker brings the library's system calls of io_uring to the simulated kernel.
#include <sys/mman.h>

#include <cerrno>
#include <cstdarg>

#include "simulation/Ring.h"
#include "simulation/RingCalls.h"

extern "C" {

long __real_syscall(long number, ...);
void* __real_mmap(void* at, std::size_t bytes, int protection, int flags, int fd, off_t offset);

long __wrap_syscall(long number, ...) {
    va_list arguments;
    va_start(arguments, number);
    simulation::Words words;
    for (long& word : words) word = va_arg(arguments, long);
    va_end(arguments);
    if (!simulation::isRingCall(number)) {
        return __real_syscall(number, words[0], words[1], words[2], words[3], words[4], words[5]);
    }
    const long result = simulation::ringCall(number, words);
    if (result >= 0) return result;
    errno = static_cast<int>(-result);
    return -1;
}

void* __wrap_mmap(void* at, std::size_t bytes, int protection, int flags, int fd, off_t offset) {
    simulation::Ring* ring = simulation::ringAt(fd);
    if (ring != nullptr) return ring->map(bytes, offset);
    return __real_mmap(at, bytes, protection, flags, fd, offset);
}
}
