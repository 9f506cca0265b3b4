// What each channel of one dispatcher holds in buffers, and the sum of it: kept always, for the
// metrics (DispatcherMetrics::bufferedBytes) and for the memory budget (MemoryBudget.h).
//
// Only who holds something is entered, and who did before: a channel at ease costs nothing per
// event. A change costs a few stores; no lock, no atomic read-modify-write, and an allocation only
// for a slot that is higher than all before.
//
// Thread: the dispatcher's own; sum() any.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <nio/base/Published.h>

namespace nio {

class BufferLedger {
  public:
    // What the channel in this slot of the registry holds from now on.
    void set(std::uint32_t slot, std::size_t bytes) {
        if (slot >= held_.size()) held_.resize(slot + std::size_t{1});
        sum_.add(bytes - held_[slot]);
        held_[slot] = bytes;
    }
    std::size_t held(std::uint32_t slot) const { return slot < held_.size() ? held_[slot] : 0; }
    // None as high as this one holds anything.
    std::size_t slots() const { return held_.size(); }
    std::size_t sum() const { return sum_.read(); }

    // The one that holds the most; not asked while nobody holds anything.
    std::uint32_t worst() const;

  private:
    std::vector<std::size_t> held_;  // by slot
    Published<std::size_t> sum_;
};

}  // namespace nio
