#include "simulation/differential/Ground.h"

#include "simulation/Machine.h"

namespace simulation {

namespace {

Connection::Buffers sizes(std::uint64_t seed, Buffers buffers) {
    if (buffers == Buffers::ample) return {1 << 20, 1 << 20};
    Random random(seed);
    return {random.between(100, 20'000), random.between(100, 20'000)};
}

}  // namespace

struct Ground::Impl {
    Impl(std::uint64_t seed, Connection::Buffers buffers)
        : faults(seed, std::nullopt), machine(seed, {256, buffers, buffers}, faults, journal) {}

    Journal journal{false};
    Faults faults;
    Machine machine;
};

Ground::Ground(std::uint64_t seed, Buffers buffers)
    : impl_(std::make_unique<Impl>(seed, sizes(seed, buffers))) {}
Ground::~Ground() = default;

void Ground::settle(std::span<const int>) {
    while (!impl_->machine.connections().empty() && impl_->machine.deliverSome()) {
    }
}

void Ground::prepare(int) {}

}  // namespace simulation
