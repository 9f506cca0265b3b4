// Submissions that were sent, and wait for the SMSC's answer: by a number that the session gives
// back with it.
//
// Thread: one at a time.
#pragma once

#include <vector>

#include "sms_router/model/Submission.h"

namespace router {

struct Flight {
    Submission submission;  // without its octets
    nio::TimePoint sent{};
};

class Flights {
  public:
    std::size_t size() const { return slots_.size() - free_.size(); }
    // When the first of those that wait was sent; TimePoint::max(): none waits.
    nio::TimePoint oldest() const {
        return first_ == none ? nio::TimePoint::max() : slots_[first_].flight.sent;
    }

    // In the order in which they are sent.
    std::size_t add(Flight flight) {
        const std::size_t number = freeSlot();
        slots_[number] = {std::move(flight), last_, none};
        after(last_) = number;
        last_ = number;
        return number;
    }

    Flight take(std::size_t number) {
        free_.push_back(number);
        Slot& slot = slots_[number];
        after(slot.before) = slot.after;
        before(slot.after) = slot.before;
        return std::move(slot.flight);
    }

  private:
    static constexpr auto none = static_cast<std::size_t>(-1);

    // Those that wait are a chain, in the order in which they were sent.
    struct Slot {
        Flight flight;
        std::size_t before = none;
        std::size_t after = none;
    };

    std::size_t& after(std::size_t number) {
        return number == none ? first_ : slots_[number].after;
    }
    std::size_t& before(std::size_t number) {
        return number == none ? last_ : slots_[number].before;
    }
    std::size_t freeSlot() {
        if (free_.empty()) {
            slots_.emplace_back();
            return slots_.size() - 1;
        }
        const std::size_t number = free_.back();
        free_.pop_back();
        return number;
    }

    std::vector<Slot> slots_;
    std::vector<std::size_t> free_;
    std::size_t first_ = none;
    std::size_t last_ = none;
};

}  // namespace router
