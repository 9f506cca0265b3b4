// The system calls of io_uring as this program has them: each is counted, fails if it is the one,
// and is else the simulated kernel's.
#include <sys/syscall.h>

#include <cerrno>

#include "simulation/Memory.h"
#include "simulation/Ring.h"
#include "simulation/RingCalls.h"
#include "torture/Injection.h"

namespace simulation {

namespace {

using torture::Call;

Call callOf(long number) {
    if (number == SYS_io_uring_setup) return Call::ringSetUp;
    return number == SYS_io_uring_register ? Call::ringRegister : Call::ringEnter;
}

}  // namespace

long onRingCall(long number, const Words& words) {
    const Plentiful memory;
    const auto error = torture::Injection::current().strikes(callOf(number));
    return error ? -static_cast<long>(*error) : ringCall(number, words);
}

void* onRingMap(Ring& ring, std::size_t bytes, off_t offset) {
    const Plentiful memory;
    const auto error = torture::Injection::current().strikes(Call::ringMap);
    if (error) errno = static_cast<int>(*error);
    return error ? nullptr : ring.map(bytes, offset);
}

}  // namespace simulation
