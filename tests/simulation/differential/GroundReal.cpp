#include "simulation/differential/Ground.h"

#include <nio/sys/Kernel.h>

namespace simulation {

namespace kernel = nio::kernel;

struct Ground::Impl {
    Buffers buffers;
};

Ground::Ground(std::uint64_t, Buffers buffers) : impl_(new Impl{buffers}) {}
Ground::~Ground() = default;

// What is sent on the loopback arrives within the call that sends it, nearly always, and no call
// tells when it has not: a script whose trace differs is run again.
void Ground::settle(std::span<const int>) {
    kernel::yieldCpu();
}

void Ground::prepare(int socket) {
    if (impl_->buffers == Buffers::ample) return;
    constexpr int bytes = 16 << 10;
    kernel::setSendBufferBytes(socket, bytes).orThrow();
    kernel::setReceiveBufferBytes(socket, bytes).orThrow();
}

}  // namespace simulation
