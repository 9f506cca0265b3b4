// Submissions that were sent, and wait for the SMSC's answer: by a number that the session gives
// back with it.
//
// Thread: one at a time.
#pragma once

#include <vector>

#include "sms_router/flow/Submission.h"

namespace router {

struct Flight {
    Submission submission;  // without its octets
    nio::TimePoint sent{};
};

class Flights {
  public:
    std::size_t size() const { return flights_.size() - free_.size(); }

    std::size_t add(Flight flight) {
        if (free_.empty()) {
            flights_.push_back(std::move(flight));
            return flights_.size() - 1;
        }
        const std::size_t number = free_.back();
        free_.pop_back();
        flights_[number] = std::move(flight);
        return number;
    }

    Flight take(std::size_t number) {
        free_.push_back(number);
        return std::move(flights_[number]);
    }

  private:
    std::vector<Flight> flights_;
    std::vector<std::size_t> free_;
};

}  // namespace router
