// A Crossing with its items, In from the socket's half and Out to it, both owned.
//
// Thread: CrossingOf any; CrossedItems that of its owner.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include <nio/connection/Crossing.h>
#include <nio/pipeline/Kept.h>

namespace nio::pipelines {

// Items in order, and the memory that they take.
template <class Item>
class CrossedItems {
  public:
    bool isEmpty() const { return next_ == items_.size(); }
    std::size_t bytes() const { return bytes_; }
    static std::size_t sizeOf(const Item& item) { return sizeof item + heldBytes(item); }

    void add(Item item) {
        const std::size_t size = sizeOf(item);
        items_.push_back(std::move(item));
        bytes_ += size;
    }
    Item takeFirst() {
        Item first = std::move(items_[next_++]);
        bytes_ -= sizeOf(first);
        if (isEmpty()) clear();
        return first;
    }
    // Moves all items out of `more`. Usually a swap: the memory of a burst is used again.
    void append(CrossedItems& more) {
        if (isEmpty()) return swap(more);
        const std::size_t needed = items_.size() + more.items_.size() - more.next_;
        // The exact size each time would copy all items with each burst.
        if (needed > items_.capacity()) items_.reserve(std::max(needed, 2 * items_.capacity()));
        while (!more.isEmpty()) add(more.takeFirst());
    }
    // Frees the memory if it has held many items.
    void clear() {
        constexpr std::size_t keeps = 16;
        if (items_.capacity() > keeps) {
            std::vector<Item>().swap(items_);
        } else {
            items_.clear();
        }
        next_ = bytes_ = 0;
    }

  private:
    void swap(CrossedItems& other) {
        items_.swap(other.items_);
        std::swap(next_, other.next_);
        std::swap(bytes_, other.bytes_);
    }

    std::vector<Item> items_;
    std::size_t next_ = 0;
    std::size_t bytes_ = 0;
};

template <class In, class Out>
class CrossingOf final : public Crossing {
  public:
    using Crossing::Crossing;

    // Empties `batch`, which is dropped if the other half has ended. Throws std::bad_alloc.
    void pushIn(CrossedItems<In>& batch) {
        const std::lock_guard lock(mutex_);
        if (hasBackEnded()) return batch.clear();
        const std::size_t bytes = batch.bytes();
        in_.append(batch);
        countInbound(bytes);
    }
    void pushOut(CrossedItems<Out>& batch) {
        const std::lock_guard lock(mutex_);
        const std::size_t bytes = batch.bytes();
        out_.append(batch);
        countOutbound(static_cast<std::ptrdiff_t>(bytes));
    }
    // Moves the items to `into`, which must be empty. Returns the events that follow them.
    FromFront takeIn(CrossedItems<In>& into) {
        const std::lock_guard lock(mutex_);
        into.append(in_);
        return fromFront();
    }
    // The same; the items count as outbound until tookOut().
    FromBack takeOut(CrossedItems<Out>& into) {
        const std::lock_guard lock(mutex_);
        into.append(out_);
        return fromBack();
    }
    // Returns how much output the kernel has not accepted.
    std::size_t tookOut(std::size_t bytes) {
        const std::lock_guard lock(mutex_);
        return countOutbound(-static_cast<std::ptrdiff_t>(bytes));
    }

  private:
    CrossedItems<In> in_;
    CrossedItems<Out> out_;
};

}  // namespace nio::pipelines
