// Items by the hash of a key, of which several may have the same: pointers in a flat table. Neither
// a search nor growth looks at an item, which std::unordered_multimap does: with a million of them,
// each look is a cache miss.
//
//     HashIndex<Entry> index;
//     index.insert(hash, entry);
//     index.each(hash, [&](Entry& candidate) { … });    // compares the keys
//     index.erase(hash, entry);
//
// Thread: one at a time. Lifetime: an item leaves the index before it ends.
// Errors: insert() throws std::bad_alloc and has changed nothing then.
// Cost: a search looks at few slots of 16 octets, at least a quarter of which are empty; it takes
// as long as there are items with the same hash. A hash should be good in its low bits. Growth
// moves all of them: give indexes that fill at the same rate different shares.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace router {

template <class T>
class HashIndex {
  public:
    // Of its slots, when it grows.
    static constexpr double largestShare = 0.75;

    HashIndex() = default;
    HashIndex(const HashIndex&) = delete;
    HashIndex& operator=(const HashIndex&) = delete;

    std::size_t size() const { return size_; }
    // At most largestShare.
    void growAt(double share) { share_ = share; }

    void insert(std::size_t hash, T& item) {
        if (size_ >= most_) grow();
        slots_[firstEmpty(slots_, hash)] = {hash, &item};
        ++size_;
    }
    // `visit` changes nothing here.
    template <class F>
    void each(std::size_t hash, F&& visit) const {
        if (slots_.empty()) return;
        for (std::size_t i = hash & mask(); slots_[i].item != nullptr; i = next(i))
            if (slots_[i].hash == hash) visit(*slots_[i].item);
    }
    // Nothing happens if it is not there.
    void erase(std::size_t hash, const T& item) {
        if (slots_.empty()) return;
        std::size_t place = hash & mask();
        while (slots_[place].item != &item) {
            if (slots_[place].item == nullptr) return;
            place = next(place);
        }
        close(place);
        --size_;
    }

  private:
    struct Slot {
        std::size_t hash = 0;
        T* item = nullptr;  // null: empty
    };
    using Slots = std::vector<Slot>;  // a power of two, or none

    std::size_t mask() const { return slots_.size() - 1; }
    std::size_t next(std::size_t place) const { return (place + 1) & mask(); }
    static std::size_t firstEmpty(const Slots& slots, std::size_t hash) {
        const std::size_t mask = slots.size() - 1;
        std::size_t place = hash & mask;
        while (slots[place].item != nullptr) place = (place + 1) & mask;
        return place;
    }
    void grow() {
        constexpr std::size_t least = 8;
        Slots larger(slots_.empty() ? least : slots_.size() * 2);
        for (const Slot& slot : slots_)
            if (slot.item != nullptr) larger[firstEmpty(larger, slot.hash)] = slot;
        slots_ = std::move(larger);
        most_ = static_cast<std::size_t>(static_cast<double>(slots_.size()) * share_);
    }
    // A search ends at an empty slot: what would be found past this one moves here.
    void close(std::size_t hole) {
        for (std::size_t i = next(hole); slots_[i].item != nullptr; i = next(i)) {
            const std::size_t wayToHere = (i - slots_[i].hash) & mask();
            const std::size_t wayFromHole = (i - hole) & mask();
            if (wayToHere < wayFromHole) continue;
            slots_[hole] = slots_[i];
            hole = i;
        }
        slots_[hole] = {};
    }

    Slots slots_;
    std::size_t size_ = 0;
    double share_ = largestShare;
    std::size_t most_ = 0;  // with these slots
};

}  // namespace router
