// What each channel of one dispatcher holds in buffers, and the sum of it: kept always, for the
// metrics (DispatcherMetrics::bufferedBytes) and for the memory budget (MemoryBudget.h).
//
// Only who holds something is entered, and who did before: a channel at ease costs nothing per
// event. A change costs a few stores; no lock, no atomic read-modify-write, and an allocation only
// for a slot that is higher than all before.
//
// Thread: the dispatcher's own; sum() any.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <nio/base/Published.h>

namespace nio {

class BufferLedger {
  public:
    // What the channel in this slot of the registry holds from now on. `evictFirst`: it is worse
    // than all others, however much they hold.
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
    // So much more (or less) is held by what is no channel.
    void addElsewhere(std::ptrdiff_t change) {
        elsewhere_ += static_cast<std::size_t>(change);
        sum_.add(static_cast<std::size_t>(change));
    }
    // Of the sum, what channels hold.
    std::size_t ofChannels() const { return sum() - elsewhere_; }
    // None as high as this one holds anything.
    std::size_t size() const { return held_.size(); }
    std::size_t sum() const { return sum_.read(); }
    // Of that, what those hold that are evicted first.
    std::size_t evictFirst() const { return evictFirst_; }

    // The one that holds the most, of those that are evicted first if there are any; not asked
    // while no channel holds anything.
    std::uint32_t worst() const {
        const auto most = std::max_element(held_.begin(), held_.end());
        return static_cast<std::uint32_t>(most - held_.begin());
    }

  private:
    static constexpr std::size_t first = ~(SIZE_MAX >> 1);

    std::vector<std::size_t> held_;  // by slot; with `first` for those that are evicted first
    std::size_t evictFirst_ = 0;
    std::size_t elsewhere_ = 0;
    Published<std::size_t> sum_;
};

}  // namespace nio
