// How far the clock of another machine is ahead of ours, from questions and answers: the other
// clock is taken as read in the middle of the round trip, and the shortest round trip counts, since
// half of it is how wrong that can be. Old ones are forgotten: clocks drift.
//
// Thread: one at a time; a value.
#pragma once

#include <algorithm>
#include <deque>

#include <nio/sys/Clock.h>

namespace load {

class ClockOffset {
  public:
    static constexpr std::size_t remembered = 16;

    void add(nio::TimePoint asked, nio::TimePoint theirs, nio::TimePoint answered) {
        trips_.push_back({answered - asked, theirs - (asked + (answered - asked) / 2)});
        if (trips_.size() > remembered) trips_.pop_front();
    }
    std::size_t count() const { return trips_.size(); }

    // Once there is one.
    nio::Clock::duration roundTrip() const { return best().length; }
    nio::TimePoint toTheirs(nio::TimePoint ours) const { return ours + best().offset; }

  private:
    struct Trip {
        nio::Clock::duration length;
        nio::Clock::duration offset;
    };

    const Trip& best() const {
        const auto shorter = [](const Trip& a, const Trip& b) { return a.length < b.length; };
        return *std::min_element(trips_.begin(), trips_.end(), shorter);
    }

    std::deque<Trip> trips_;
};

}  // namespace load
