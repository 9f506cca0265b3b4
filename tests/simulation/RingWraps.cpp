// Where the linker brings the library's system calls of io_uring.
#include <sys/mman.h>

#include <cerrno>
#include <cstdarg>

#include "simulation/RingCalls.h"

extern "C" {

long __real_syscall(long number, ...);
void* __real_mmap(void* at, std::size_t bytes, int protection, int flags, int fd, off_t offset);

// As the calls are written in Uring.cpp: a word more than was passed is not to be read.
long __wrap_syscall(long number, ...) {
    const std::size_t ofRing = simulation::wordsOf(number);
    simulation::Words words{};
    va_list arguments;
    va_start(arguments, number);
    for (std::size_t i = 0; i < (ofRing > 0 ? ofRing : words.size()); ++i) {
        words[i] = va_arg(arguments, long);
    }
    va_end(arguments);
    if (ofRing == 0) {
        return __real_syscall(number, words[0], words[1], words[2], words[3], words[4], words[5]);
    }
    const long result = simulation::onRingCall(number, words);
    if (result >= 0) return result;
    errno = static_cast<int>(-result);
    return -1;
}

void* __wrap_mmap(void* at, std::size_t bytes, int protection, int flags, int fd, off_t offset) {
    simulation::Ring* ring = simulation::ringAt(fd);
    if (ring == nullptr) return __real_mmap(at, bytes, protection, flags, fd, offset);
    void* memory = simulation::onRingMap(*ring, bytes, offset);
    return memory == nullptr ? MAP_FAILED : memory;
}
}
