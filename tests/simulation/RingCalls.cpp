#include "simulation/RingCalls.h"

#include <linux/time_types.h>
#include <sys/syscall.h>

#include <cerrno>

#include "simulation/Machine.h"
#include "simulation/Ring.h"

namespace simulation {

namespace {

// Few, so that queues get full.
long setUp(io_uring_params& parameters) {
    Machine& machine = Machine::current();
    const Ring::Entries entries{1u << machine.random().below(6), 1u << machine.random().below(8)};
    Descriptor descriptor;
    descriptor.kind = Descriptor::Kind::ring;
    auto ring = std::make_unique<Ring>(machine, entries);
    ring->setUp(parameters);
    descriptor.ring = std::move(ring);
    const int fd = machine.add(std::move(descriptor));
    return fd < 0 ? -EMFILE : fd;
}

long setAbout(Ring* ring, unsigned operation, const void* argument) {
    if (ring == nullptr) return -EBADF;
    if (operation == IORING_REGISTER_PBUF_RING) {
        ring->provide(*static_cast<const io_uring_buf_reg*>(argument));
    }
    return 0;
}

long enter(int fd, unsigned count, unsigned minimum, const io_uring_getevents_arg& argument) {
    std::optional<std::chrono::nanoseconds> wait;
    if (const auto* time = reinterpret_cast<const __kernel_timespec*>(argument.ts)) {
        wait = std::chrono::seconds(time->tv_sec) + std::chrono::nanoseconds(time->tv_nsec);
    }
    return Machine::current().enter(fd, count, minimum > 0, wait);
}

}  // namespace

std::size_t wordsOf(long number) {
    switch (number) {
        case SYS_io_uring_setup: return 2;
        case SYS_io_uring_register: return 4;
        case SYS_io_uring_enter: return 6;
        default: return 0;
    }
}

long ringCall(long number, const Words& words) {
    // Of what was passed as an int the upper half says nothing.
    const int fd = static_cast<int>(words[0]);
    const auto second = static_cast<unsigned>(words[1]);
    switch (number) {
        case SYS_io_uring_setup: return setUp(*reinterpret_cast<io_uring_params*>(words[1]));
        case SYS_io_uring_register:
            return setAbout(ringAt(fd), second, reinterpret_cast<const void*>(words[2]));
        case SYS_io_uring_enter:
            if (ringAt(fd) == nullptr) return -EBADF;
            return enter(fd, second, static_cast<unsigned>(words[2]),
                         *reinterpret_cast<const io_uring_getevents_arg*>(words[4]));
        default: return -ENOSYS;
    }
}

Ring* ringAt(int fd) {
    if (fd < 0 || !Machine::hasCurrent()) return nullptr;
    Descriptor* found = Machine::current().find(fd);
    return found == nullptr ? nullptr : static_cast<Ring*>(found->ring.get());
}

}  // namespace simulation
