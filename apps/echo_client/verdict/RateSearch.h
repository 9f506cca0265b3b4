// Finds the highest rate that a server keeps: doubles while the requirement holds (halves until it
// does), then halves the gap until it is small. Pure: somebody else makes the runs.
//
//     RateSearch search(1000);
//     while (!search.isOver()) search.tell(holds(run(search.next())));
//
// Thread: one at a time.
#pragma once

#include <cstddef>
#include <optional>

namespace load {

class RateSearch {
  public:
    static constexpr double precision = 0.03;       // of the rate
    static constexpr std::size_t maximumRuns = 40;  // then the best so far counts
    static constexpr double highest = 1e9;          // per second; a rate that holds there is best

    // None below `lowest` is tried: from it to `highest`; a first rate elsewhere counts as the
    // nearer of the two.
    explicit RateSearch(double first, double lowest = 1);

    bool isOver() const;
    // The rate of the next run, per second.
    double next() const { return next_; }
    // Whether it held.
    void tell(bool held);
    // The highest that held. Absent: none did.
    std::optional<double> best() const;

  private:
    double lowest_;
    double next_;
    double held_ = 0;
    double failed_ = 0;  // 0: none yet
    std::size_t runs_ = 0;
};

}  // namespace load
