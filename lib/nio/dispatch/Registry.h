// All registrations of one dispatcher, each in a slot with a generation, so that a value (slot,
// generation) finds its registration while it lives, and nobody after that.
//
// Thread: the dispatcher's own.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include <nio/dispatch/Registration.h>

namespace nio {

class Registry {
  public:
    Registry() = default;
    Registry(const Registry&) = delete;
    Registry& operator=(const Registry&) = delete;

    // Sets registration.slot.
    void add(Registration& registration);
    void remove(Registration& registration);

    Registration* find(std::uint32_t slot, std::uint32_t generation) const;
    std::uint32_t generationOf(std::uint32_t slot) const { return slots_[slot].generation; }

    std::size_t size() const { return size_; }
    // What is registered now; stays valid while registrations come and go.
    std::vector<Registration*> snapshot() const;

  private:
    static constexpr std::uint32_t none = UINT32_MAX;

    struct Slot {
        Registration* registration = nullptr;
        std::uint32_t generation = 0;
        std::uint32_t nextFree = none;
    };

    std::deque<Slot> slots_;  // grows without a copy
    std::uint32_t firstFree_ = none;
    std::size_t size_ = 0;
};

}  // namespace nio
