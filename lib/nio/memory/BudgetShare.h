// What one dispatcher says of its part in a MemoryBudget, on a cache line of its own.
//
// Thread: written by the dispatcher's own; the counts are read by any.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include <nio/base/UniqueFunction.h>

namespace nio {

// Which actions are due.
struct Overload {
    bool pauses = false;
    bool refuses = false;
    bool drops = false;

    bool any() const { return pauses || refuses || drops; }
    bool operator==(const Overload&) const = default;
};

struct alignas(64) BudgetShare {
    std::atomic<std::size_t> bytes{0};
    std::atomic<std::size_t> evictFirst{0};  // of these
    std::atomic<std::uint64_t> paused{0};
    std::atomic<std::uint64_t> refused{0};
    std::atomic<std::uint64_t> dropped{0};

    void act(const Overload& overload) {
        const int bits = overload.pauses + 2 * overload.refuses + 4 * overload.drops;
        overload_.store(static_cast<std::uint8_t>(bits), std::memory_order_relaxed);
    }
    Overload acts() const {
        const int bits = overload_.load(std::memory_order_relaxed);
        return {(bits & 1) != 0, (bits & 2) != 0, (bits & 4) != 0};
    }

    // Nobody else writes it: no locked instruction.
    static void increment(std::atomic<std::uint64_t>& count) {
        count.store(count.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    }

    // The budget's.
    const BudgetShare* next = nullptr;
    UniqueFunction<bool()> alarm{};  // empty: nobody's; under the budget's lock

  private:
    std::atomic<std::uint8_t> overload_{0};
};

}  // namespace nio
