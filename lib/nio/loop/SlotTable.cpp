#include <nio/loop/SlotTable.h>

namespace nio {

void SlotTable::add(Registration& registration) {
    if (firstFree_ == none) {
        slots_.emplace_back();
        firstFree_ = static_cast<std::uint32_t>(slots_.size() - 1);
    }
    const std::uint32_t slot = firstFree_;
    firstFree_ = slots_[slot].link;
    place(registration, slot);
    ++size_;
}

void SlotTable::place(Registration& registration, std::uint32_t slot) {
    registration.slot = slot;
    slots_[slot].registration = &registration;
    slots_[slot].link = walks_;
}

void SlotTable::remove(Registration& registration) {
    giveUp(registration.slot);
}

void SlotTable::leave(Registration& registration) {
    slots_[registration.slot].registration = nullptr;
}

void SlotTable::comeBack(std::uint32_t slot, Registration& registration) {
    place(registration, slot);
}

void SlotTable::giveUp(std::uint32_t index) {
    Slot& slot = slots_[index];
    slot.registration = nullptr;
    ++slot.generation;
    slot.link = firstFree_;
    firstFree_ = index;
    --size_;
}

Registration* SlotTable::find(std::uint32_t slot, std::uint32_t generation) const {
    if (slot >= slots_.size() || slots_[slot].generation != generation) return nullptr;
    return slots_[slot].registration;
}

std::vector<Registration*> SlotTable::snapshot() const {
    std::vector<Registration*> all;
    all.reserve(size_);
    for (const Slot& slot : slots_) {
        if (slot.registration != nullptr) all.push_back(slot.registration);
    }
    return all;
}

}  // namespace nio
