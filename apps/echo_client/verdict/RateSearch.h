// Finds the highest rate at which a server meets a requirement: doubles the rate while the
// requirement holds (halves it until it does), then halves the gap until it is small. Pure: the
// caller makes the runs. A run whose generator was late is repeated; where it is late again and
// again, that rate is a bound like one that failed, unless no rate has held yet: then the search
// ends.
//
//     RateSearch search(1000);
//     while (!search.isOver()) search.tell(holds(run(search.next())));
//
// Thread: one at a time; a SearchStep is a value.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "echo_client/figures/LoadResult.h"
#include "echo_client/options/Requirement.h"

namespace load {

class RateSearch {
  public:
    static constexpr double precision = 0.03;       // of the rate
    static constexpr std::size_t maximumRuns = 40;  // then the best so far counts
    static constexpr std::size_t attempts = 3;      // at a rate for which the generator is late
    static constexpr double highest = 1e9;          // per second; a rate that holds there is best

    // Tries rates from `lowest` to `highest`; a `first` outside of them becomes the nearer bound.
    explicit RateSearch(double first, double lowest = 1);

    bool isOver() const;
    // The rate of the next run, per second.
    double next() const { return next_; }
    // Whether the requirement held at it.
    void tell(bool held);
    // The generator was late, so that nothing is known about this rate.
    void tellLate();
    // The highest that held. Absent: none did.
    std::optional<double> best() const;

  private:
    double lowest_;
    double next_;
    double held_ = 0;
    double failed_ = 0;  // 0: none yet
    std::size_t runs_ = 0;
    std::size_t late_ = 0;  // in succession
    bool isHopeless_ = false;
};

// One run of --find-max.
struct SearchStep {
    double rate = 0;      // planned, per second
    double achieved = 0;  // answered, per second
    std::string found;    // "p99 = 1.20 ms"
    bool held = false;
    std::string obstacle;  // why not, but for the requirement: errors, lateness, rate missed
    bool generatorsFault = false;  // not held, and the generator was late: this proves nothing
    double value = 0;              // of the figure, as Requirement::valueIn() says

    static SearchStep of(const Requirement& requirement, double rate, const LoadResult& result);
};

}  // namespace load
