// Memory that is counted, and that fails: operator new of this program counts, and fails where it
// is told to, but only inside of a Scarce and not inside of a Plentiful (the simulated kernel, the
// peers, the oracles).
//
// Thread: the one of the run; blocks are counted on any.
#pragma once

#include <cstddef>

namespace simulation {

class Memory {
  public:
    // The nth allocation (from 1) fails; 0: none. Counts from 0 again.
    static void failNth(std::size_t nth);
    static bool hasFailed();
    // Allocations made where they could have failed.
    static std::size_t count();
    // Blocks that were allocated and not given back.
    static std::size_t blocks();
    // clang's sanitizers have an operator new of their own: nothing fails there, or is counted.
    static bool canFail();
};

class Scarce {
  public:
    Scarce();
    Scarce(const Scarce&) = delete;
    Scarce& operator=(const Scarce&) = delete;
    ~Scarce();

  private:
    const bool before_;
};

class Plentiful {
  public:
    Plentiful();
    Plentiful(const Plentiful&) = delete;
    Plentiful& operator=(const Plentiful&) = delete;
    ~Plentiful();

  private:
    const bool before_;
};

}  // namespace simulation
