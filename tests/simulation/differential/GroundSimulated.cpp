#include "simulation/differential/Ground.h"

#include "simulation/Machine.h"

namespace simulation {

struct Ground::Impl {
    explicit Impl(std::uint64_t seed)
        : faults(seed, std::nullopt), machine(seed, {256, buffers, buffers}, faults, journal) {}

    static constexpr Connection::Buffers buffers{1 << 20, 1 << 20};
    Journal journal{false};
    Faults faults;
    Machine machine;
};

Ground::Ground(std::uint64_t seed) : impl_(std::make_unique<Impl>(seed)) {}
Ground::~Ground() = default;

void Ground::settle(std::span<const int>) {
    while (!impl_->machine.connections().empty() && impl_->machine.deliverSome()) {
    }
}

}  // namespace simulation
