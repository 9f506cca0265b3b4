// Requests that wait for their answers, by sequence number. Numbers rise by one from 1 and begin
// anew after 0x7FFFFFFF.
//
// Finding one costs an index, whatever the order of the answers; memory is kept from the oldest one
// that waits on.
//
// Thread: one at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <utility>

namespace smppbench {

template <class T>
class SequenceWindow {
  public:
    static constexpr std::uint32_t last = 0x7FFFFFFF;

    std::uint32_t nextSequence() const { return advanced(first_, slots_.size()); }
    // Returns the number that it has: nextSequence() of before.
    std::uint32_t add(T request) {
        const std::uint32_t sequence = nextSequence();
        slots_.emplace_back(std::move(request));
        ++size_;
        return sequence;
    }
    bool has(std::uint32_t sequence) const {
        const std::size_t index = distance(first_, sequence);
        return sequence != 0 && index < slots_.size() && slots_[index];
    }
    // What waited under this number; nothing if nobody does.
    std::optional<T> take(std::uint32_t sequence) {
        if (!has(sequence)) return std::nullopt;
        std::optional<T> taken = std::exchange(slots_[distance(first_, sequence)], std::nullopt);
        --size_;
        dropAnswered();
        return taken;
    }
    // The one that waits longest; null if nobody waits.
    const T* oldest() const { return size_ == 0 ? nullptr : &*slots_.front(); }
    std::optional<T> takeOldest() { return size_ == 0 ? std::nullopt : take(first_); }
    std::size_t size() const { return size_; }

  private:
    static std::uint32_t advanced(std::uint32_t sequence, std::size_t by) {
        return static_cast<std::uint32_t>((sequence - 1 + by) % last) + 1;
    }
    static std::size_t distance(std::uint32_t from, std::uint32_t to) {
        return to >= from ? to - from : to + (last - from);
    }
    void dropAnswered() {
        while (!slots_.empty() && !slots_.front()) {
            slots_.pop_front();
            first_ = advanced(first_, 1);
        }
    }

    std::deque<std::optional<T>> slots_;
    std::uint32_t first_ = 1;
    std::size_t size_ = 0;
};

}  // namespace smppbench
