// The system calls of io_uring as this program has them: each is counted, fails if it is the one,
// and is else the simulated kernel's.
#include <sys/mman.h>
#include <sys/syscall.h>

#include <cerrno>
#include <cstdarg>

#include "simulation/Memory.h"
#include "simulation/Ring.h"
#include "simulation/RingCalls.h"
#include "torture/Injection.h"

namespace {

using simulation::Plentiful;
using torture::Call;

Call callOf(long number) {
    if (number == SYS_io_uring_setup) return Call::ringSetUp;
    return number == SYS_io_uring_register ? Call::ringRegister : Call::ringEnter;
}

bool strikes(Call call) {
    const auto error = torture::Injection::current().strikes(call);
    if (error) errno = static_cast<int>(*error);
    return error.has_value();
}

}  // namespace

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
    const Plentiful memory;
    if (strikes(callOf(number))) return -1;
    const long result = simulation::ringCall(number, words);
    if (result >= 0) return result;
    errno = static_cast<int>(-result);
    return -1;
}

void* __wrap_mmap(void* at, std::size_t bytes, int protection, int flags, int fd, off_t offset) {
    simulation::Ring* ring = simulation::ringAt(fd);
    if (ring == nullptr) return __real_mmap(at, bytes, protection, flags, fd, offset);
    const Plentiful memory;
    return strikes(Call::ringMap) ? MAP_FAILED : ring->map(bytes, offset);
}
}
