// The bytes that each channel of one dispatcher holds in buffers, and their sum. Always kept: the
// metrics (DispatcherMetrics::bufferedBytes) and the memory budget (MemoryBudget.h) use it.
//
// A channel that holds nothing costs nothing per event. A change costs a few stores: no lock, no
// atomic read-modify-write. Only a slot above all earlier ones allocates.
//
// Thread: the dispatcher's own; sum() any.
// Errors: set() throws std::bad_alloc, without any change.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <nio/base/Published.h>

namespace nio {

class BufferLedger {
  public:
    // Sets how many bytes the channel in this slot of the registry holds. `evictFirst`: worst()
    // prefers it to unmarked channels, however much they hold.
    void set(std::uint32_t slot, std::size_t bytes, bool evictFirst = false) {
        if (slot >= held_.size()) held_.resize(slot + std::size_t{1});
        sum_.add(bytes - held(slot));
        const std::size_t mark = evictFirst && bytes > 0 ? first : 0;
        evictFirst_ += (mark != 0 ? bytes : 0) - ((held_[slot] & first) != 0 ? held(slot) : 0);
        held_[slot] = bytes | mark;
    }
    std::size_t held(std::uint32_t slot) const {
        return slot < held_.size() ? held_[slot] & ~first : 0;
    }
    // Adds bytes held outside channels, such as by a queue; negative: subtracts them.
    void addElsewhere(std::ptrdiff_t change) {
        elsewhere_ += static_cast<std::size_t>(change);
        sum_.add(static_cast<std::size_t>(change));
    }
    // The part of sum() that channels hold.
    std::size_t ofChannels() const { return sum() - elsewhere_; }
    // No slot from this one on holds anything.
    std::size_t size() const { return held_.size(); }
    std::size_t sum() const { return sum_.read(); }
    // The part of sum() that channels marked `evictFirst` hold.
    std::size_t evictFirst() const { return evictFirst_; }

    // The slot that holds the most, among the marked ones if there are any. Requires that a channel
    // holds something.
    std::uint32_t worst() const {
        const auto most = std::max_element(held_.begin(), held_.end());
        return static_cast<std::uint32_t>(most - held_.begin());
    }

  private:
    static constexpr std::size_t first = ~(SIZE_MAX >> 1);

    std::vector<std::size_t> held_;  // by slot; the bit `first` marks evictFirst
    std::size_t evictFirst_ = 0;
    std::size_t elsewhere_ = 0;
    Published<std::size_t> sum_;
};

}  // namespace nio
