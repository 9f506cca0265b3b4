// What a script stands on: the simulated kernel, or the real one. Which it is the linker decides.
//
// Thread: the main one. One at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

namespace simulation {

class Ground {
  public:
    explicit Ground(std::uint64_t seed);
    Ground(const Ground&) = delete;
    Ground& operator=(const Ground&) = delete;
    ~Ground();

    // Until all that was sent through these sockets has arrived.
    void settle(std::span<const int> sockets);

  private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace simulation
