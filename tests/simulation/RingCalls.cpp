#include "simulation/RingCalls.h"

#include <linux/time_types.h>
#include <sys/syscall.h>

#include <cerrno>

#include "simulation/Machine.h"

namespace simulation {

namespace {

// Few, so that queues get full.
long setUp(io_uring_params& parameters) {
    Machine& machine = Machine::current();
    const Ring::Entries entries{1u << machine.random().below(6), 1u << machine.random().below(8)};
    Descriptor descriptor;
    descriptor.kind = Descriptor::Kind::ring;
    descriptor.ring = std::make_unique<Ring>(machine, entries);
    descriptor.ring->setUp(parameters);
    const int fd = machine.add(std::move(descriptor));
    return fd < 0 ? -EMFILE : fd;
}

long setAbout(Ring* ring, long operation, const void* argument) {
    if (ring == nullptr) return -EBADF;
    if (operation == IORING_REGISTER_PBUF_RING) {
        ring->provide(*static_cast<const io_uring_buf_reg*>(argument));
    }
    return 0;
}

long enter(int fd, long count, long minimum, const io_uring_getevents_arg& argument) {
    std::optional<std::chrono::nanoseconds> wait;
    if (const auto* time = reinterpret_cast<const __kernel_timespec*>(argument.ts)) {
        wait = std::chrono::seconds(time->tv_sec) + std::chrono::nanoseconds(time->tv_nsec);
    }
    return Machine::current().enter(fd, static_cast<std::uint32_t>(count), minimum > 0, wait);
}

}  // namespace

bool isRingCall(long number) {
    return number == SYS_io_uring_setup || number == SYS_io_uring_register ||
           number == SYS_io_uring_enter;
}

long ringCall(long number, const Words& words) {
    const int fd = static_cast<int>(words[0]);
    switch (number) {
        case SYS_io_uring_setup: return setUp(*reinterpret_cast<io_uring_params*>(words[1]));
        case SYS_io_uring_register:
            return setAbout(ringAt(fd), words[1], reinterpret_cast<const void*>(words[2]));
        case SYS_io_uring_enter:
            return enter(fd, words[1], words[2],
                         *reinterpret_cast<const io_uring_getevents_arg*>(words[4]));
        default: return -ENOSYS;
    }
}

Ring* ringAt(int fd) {
    if (fd < 0 || !Machine::hasCurrent()) return nullptr;
    Descriptor* found = Machine::current().find(fd);
    return found == nullptr ? nullptr : found->ring.get();
}

}  // namespace simulation
