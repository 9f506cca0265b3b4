// Out of memory on this thread, or on all others, for as long as it lives: operator new throws
// std::bad_alloc.
//
// Thread: that of the test.
// clang's sanitizers have an operator new of their own that cannot be replaced: isPossible() is
// false there, and nothing fails.
#pragma once

#include <cstddef>
#include <cstdint>

namespace support {

class FailingMemory {
  public:
    // The nth allocation (0: the first), and that one only.
    static FailingMemory nth(std::size_t n) { return FailingMemory(n, 0, 1); }
    // Every allocation of so many bytes and more.
    static FailingMemory from(std::size_t bytes) { return FailingMemory(0, bytes, SIZE_MAX); }
    // The nth allocation of all other threads together, and that one only.
    static FailingMemory nthElsewhere(std::size_t n);
    static bool isPossible();
    FailingMemory(const FailingMemory&) = delete;
    FailingMemory& operator=(const FailingMemory&) = delete;
    ~FailingMemory();

    bool hasFailed() const;

  private:
    FailingMemory(std::size_t skipped, std::size_t bytes, std::size_t times);
};

}  // namespace support
