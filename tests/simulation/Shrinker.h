// Finds few faults with which a run still fails. Without some of its faults a run takes another
// course: what is found is small, not the smallest there is.
//
// Thread: the one that calls.
#pragma once

#include <ctime>
#include <functional>
#include <vector>

#include "simulation/Faults.h"

namespace simulation {

class Shrinker {
  public:
    using Fails = std::function<bool(const FaultSet&)>;

    // `fails`: whether a run with these faults only does.
    Shrinker(Fails fails, std::time_t patienceSeconds);

    // Of those from 1 to `count`, with which it is known to fail.
    FaultSet shrink(std::size_t count);
    // With more patience there might have been fewer.
    bool hasGivenUp() const { return gaveUp_; }

  private:
    using Numbers = std::vector<std::size_t>;

    bool leaveOutOnePart(Numbers& left, std::size_t size);
    bool failsWith(const Numbers& numbers);

    const Fails fails_;
    const std::time_t until_;
    bool gaveUp_ = false;
};

}  // namespace simulation
