// All registrations of one dispatcher, each in a slot with a generation, so that a value (slot,
// generation) finds its registration while it lives, and nothing after that.
//
// Thread: the dispatcher's own.
#pragma once

#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

#include <nio/loop/Registration.h>

namespace nio {

class SlotTable {
  public:
    SlotTable() = default;
    SlotTable(const SlotTable&) = delete;
    SlotTable& operator=(const SlotTable&) = delete;

    // Sets registration.slot.
    void add(Registration& registration);
    void remove(Registration& registration);

    // For a registration that migrates away: its slot stays taken but finds nothing until
    // comeBack() or giveUp().
    void leave(Registration& registration);
    // Sets registration.slot.
    void comeBack(std::uint32_t slot, Registration& registration);
    void giveUp(std::uint32_t slot);

    Registration* find(std::uint32_t slot, std::uint32_t generation) const;
    std::uint32_t generationOf(std::uint32_t slot) const { return slots_[slot].generation; }

    // All slots; and the taken ones, including those of channels that are away.
    std::size_t slotCount() const { return slots_.size(); }
    std::size_t size() const { return size_; }
    bool anyIsHere() const { return size_ > away_; }
    // What is registered now; stays valid while registrations come and go.
    std::vector<Registration*> snapshot() const;
    // Calls `visit` with each registration that exists now and still exists when its turn comes;
    // later ones are not visited. Needs no memory.
    template <class Visit>
    void visitAll(Visit&& visit) {
        const std::uint32_t walk = ++walks_;
        for (std::size_t i = 0; i < slots_.size(); ++i) {
            const bool wasHere = slots_[i].link < walk;
            if (slots_[i].registration != nullptr && wasHere) visit(*slots_[i].registration);
        }
    }

  private:
    static constexpr std::uint32_t none = UINT32_MAX;

    struct Slot {
        Registration* registration = nullptr;
        std::uint32_t generation = 0;
        std::uint32_t link = none;  // free: the next free slot; else the last walk before it came
    };

    void place(Registration& registration, std::uint32_t slot);

    std::deque<Slot> slots_;  // grows without a copy
    std::uint32_t firstFree_ = none;
    std::uint32_t walks_ = 0;  // a few in a dispatcher's life
    std::size_t size_ = 0;
    std::size_t away_ = 0;  // slots of channels that are away
};

inline void SlotTable::add(Registration& registration) {
    if (firstFree_ == none) {
        slots_.emplace_back();
        firstFree_ = static_cast<std::uint32_t>(slots_.size() - 1);
    }
    const std::uint32_t slot = firstFree_;
    firstFree_ = slots_[slot].link;
    place(registration, slot);
    ++size_;
}

inline void SlotTable::place(Registration& registration, std::uint32_t slot) {
    registration.slot = slot;
    slots_[slot].registration = &registration;
    slots_[slot].link = walks_;
}

inline void SlotTable::remove(Registration& registration) {
    giveUp(registration.slot);
}

inline void SlotTable::leave(Registration& registration) {
    if (std::exchange(slots_[registration.slot].registration, nullptr) != nullptr) ++away_;
}

inline void SlotTable::comeBack(std::uint32_t slot, Registration& registration) {
    if (slots_[slot].registration == nullptr) --away_;
    place(registration, slot);
}

inline void SlotTable::giveUp(std::uint32_t index) {
    Slot& slot = slots_[index];
    if (std::exchange(slot.registration, nullptr) == nullptr) --away_;
    ++slot.generation;
    slot.link = firstFree_;
    firstFree_ = index;
    --size_;
}

inline Registration* SlotTable::find(std::uint32_t slot, std::uint32_t generation) const {
    if (slot >= slots_.size() || slots_[slot].generation != generation) return nullptr;
    return slots_[slot].registration;
}

inline std::vector<Registration*> SlotTable::snapshot() const {
    std::vector<Registration*> all;
    all.reserve(size_);
    for (const Slot& slot : slots_) {
        if (slot.registration != nullptr) all.push_back(slot.registration);
    }
    return all;
}

// Registrations that asked for a callback, in the order in which they asked, each at most once.
//
// Thread: the dispatcher's own.
class VisitList {
  public:
    // `queued` is the registration's own mark for this list.
    explicit VisitList(bool Registration::*queued) : queued_(queued) {}

    bool empty() const { return waiting_.empty(); }

    void add(Registration& registration) {
        if (registration.*queued_) return;
        waiting_.push_back(&registration);
        registration.*queued_ = true;
    }

    // Before it is destroyed.
    void forget(Registration& registration) {
        if (registration.*queued_) std::erase(waiting_, &registration);
    }

    // Calls `visit` with each that is still valid. What is added meanwhile waits for the next call.
    template <class Visit>
    void visitAll(Visit&& visit) {
        if (waiting_.empty()) return;
        visiting_.swap(waiting_);
        for (Registration* registration : visiting_) {
            registration->*queued_ = false;
            if (registration->isValid()) visit(*registration);
        }
        visiting_.clear();
    }

  private:
    bool Registration::*const queued_;
    std::vector<Registration*> waiting_;
    std::vector<Registration*> visiting_;
};

}  // namespace nio
