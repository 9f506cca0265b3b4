// What a script stands on: the simulated kernel, or the real one. Which it is the linker decides.
//
// Thread: the main one. One at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

namespace simulation {

// Of a socket's buffers: more than a script can send, or so little that one that fills them waits.
enum class Buffers : std::uint8_t { ample, tight };

class Ground {
  public:
    Ground(std::uint64_t seed, Buffers buffers);
    Ground(const Ground&) = delete;
    Ground& operator=(const Ground&) = delete;
    ~Ground();

    // Until all that was sent through these sockets has arrived.
    void settle(std::span<const int> sockets);
    // Of a socket that is not connected yet, or listens: its connections inherit it.
    void prepare(int socket);

  private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace simulation
