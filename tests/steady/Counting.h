// Counts what this program asks of the allocator and of the kernel while a Counting lives. The
// program has functions of its own for that (malloc, accept4, …), which call the real ones: this
// is why these tests are a program of their own.
//
// Thread: make and read: one; what all threads do is counted.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>

namespace steady {

struct Counters {
    std::atomic<bool> on{false};
    std::atomic<std::size_t> allocations{0};
    std::atomic<std::size_t> accepts{0};
    std::atomic<std::size_t> epollChanges{0};
    std::atomic<std::size_t> shutdowns{0};
    std::atomic<std::size_t> closes{0};
    // Writes of eight bytes, which are the wake-ups, by descriptor.
    std::array<std::atomic<std::size_t>, 64> wakeUps{};
};
extern Counters counters;

class Counting {
  public:
    Counting();
    Counting(const Counting&) = delete;
    Counting& operator=(const Counting&) = delete;
    ~Counting() { stop(); }

    void stop() { counters.on = false; }

    std::size_t allocations() const { return counters.allocations; }
    std::size_t accepts() const { return counters.accepts; }
    std::size_t epollChanges() const { return counters.epollChanges; }
    std::size_t shutdowns() const { return counters.shutdowns; }
    std::size_t closes() const { return counters.closes; }
    // Of the dispatcher that had most.
    std::size_t mostWakeUps() const;
    std::size_t wakeUps() const;
};

}  // namespace steady
