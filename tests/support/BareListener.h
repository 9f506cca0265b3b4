// Where connects end up: with a listener that never accepts, with one that has no room, with none.
//
// Thread: that of the test.
#pragma once

#include <poll.h>

#include <vector>

#include <nio/sys/Kernel.h>

namespace support {

// A bare listener; it accepts only when asked.
struct BareListener {
    explicit BareListener(const nio::SocketAddress& where = nio::SocketAddress::loopback4(0),
                          int backlog = 16)
        : fd(nio::kernel::openStreamSocket(where.family()).orThrow()) {
        nio::kernel::bind(fd.get(), where).orThrow();
        nio::kernel::listen(fd.get(), backlog).orThrow();
        address = nio::kernel::localAddress(fd.get()).orThrow();
    }
    nio::UniqueFd fd;
    nio::SocketAddress address;
};

// A port where nobody listens: bound, so that nobody else takes it, but not listening.
struct DeadPort {
    DeadPort() : fd(nio::kernel::openStreamSocket(nio::SocketAddress::Family::ipv4).orThrow()) {
        nio::kernel::bind(fd.get(), nio::SocketAddress::loopback4(0)).orThrow();
        address = nio::kernel::localAddress(fd.get()).orThrow();
    }
    nio::UniqueFd fd;
    nio::SocketAddress address;
};

// A listener whose backlog is full: a further connect is never decided.
struct FullListener : BareListener {
    FullListener() : BareListener(nio::SocketAddress::loopback4(0), 0) {
        for (;;) {
            nio::UniqueFd& filler = fillers.emplace_back(
                nio::kernel::openStreamSocket(nio::SocketAddress::Family::ipv4).orThrow());
            (void)nio::kernel::connect(filler.get(), address);
            pollfd entry{filler.get(), POLLOUT, 0};
            const auto ready =
                nio::kernel::waitPoll({&entry, 1}, std::chrono::milliseconds(100)).orThrow();
            if (ready == 0 || fillers.size() > 50) return;
        }
    }
    std::vector<nio::UniqueFd> fillers;
};

}  // namespace support
