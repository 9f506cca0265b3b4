// Two runs of a load side by side: the difference of each figure, and how far it can be trusted.
//
// A difference has an interval: from the lowest median that the one side may have by its repeats
// (MedianEstimate) and the highest of the other to the opposite. It is sure with `leastConfidence`
// or more, which takes six runs on both sides.
//
// Thread: any; a value. Lifetime: the runs live longer.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "echo_client/report/EarlierRun.h"
#include "echo_client/report/LoadReport.h"

namespace load {

struct Comparison {
    static constexpr double leastConfidence = 0.9;

    struct Row {
        std::string figure;  // "p99"
        std::string before;  // "1.20 ms"; "none"
        std::string now;
        std::string change{};    // "+4.2 %"; empty: not to be known
        std::string interval{};  // "-0.1 % to +9.0 %"; empty: it has no confidence
        std::string verdict{};   // "better", "worse", "within noise"; empty: no interval
    };

    std::vector<Row> rows;
    std::string heading;             // the files, and how many runs each has
    std::vector<std::string> notes;  // what makes it less than a fair comparison

    static Comparison of(const EarlierRun& before, const EarlierRun& now);
    // At most 80 columns, but for a longer name of a file.
    std::string toText() const;
};

// A run that has just ended with each of the earlier ones. Empty: a figure of it is no number.
std::vector<Comparison> compared(const LoadReport& report, const std::vector<EarlierRun>& earlier);

// Gives those that are relative the bounds of the earlier run, the only one there is. Absent: all
// have one. Else a sentence that names the option.
std::optional<std::string> settleRequirements(std::vector<Requirement>& requirements,
                                              const std::vector<EarlierRun>& earlier);

// Judges a run that is over, also by its wrong answers and I/O errors. Errors: invalid_argument for
// a figure that its file does not tell; the context is a sentence.
nio::Result<Verdict> judge(const LoadOptions& options, const EarlierRun& run);

}  // namespace load
