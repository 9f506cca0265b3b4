// All that is known when a load is over, and the forms in which it is reported; each has a source
// of its own.
//
// Thread: any; a value.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "echo_client/figures/HostFacts.h"
#include "echo_client/figures/LoadResult.h"
#include "echo_client/misbehave/MisbehaviourFigures.h"
#include "echo_client/options/LoadOptions.h"
#include "echo_client/verdict/RateSearch.h"
#include "echo_client/verdict/Verdict.h"

namespace load {

struct Comparison;
struct EarlierRun;

struct LoadReport {
    LoadOptions options;
    LoadResult result;  // with --repeat the run of median throughput, with --find-max the best
    LoadErrors errors;  // of all runs, also of those that nothing else here is about
    bool interrupted = false;  // likewise
    Verdict verdict;
    HostFacts host;
    std::string began;                         // 2026-01-31T12:00:00Z
    std::vector<LoadResult> repeats;           // --repeat: all runs, in order
    std::vector<SearchStep> search;            // --find-max: all runs, in order
    std::optional<MisbehaviourResult> beside;  // --beside

    // Why it is unknown whether the requirements are met. Empty unless the exit code is 5.
    std::string unknownBecause() const {
        return verdict.exitCode == exitCannotTell ? verdict.complaint : "";
    }
};

// For a reader at a terminal: rows with a label, at most 80 columns.
std::string toText(const LoadReport& report);

// The requirements alone, a row each.
std::string toText(const Verdict& verdict);

// For programs: one JSON object, which --compare and --html read too, with a newline at the end.
// Times are in the unit that the key names, or in µs; a figure that does not apply is null, a text
// or list empty. Bytes that are not UTF-8 are replaced.
std::string toJson(const LoadReport& report);

// The load over time as comma-separated values (RFC 4180: a header line, lines end with CR LF), one
// line for each point. Latencies are empty where there was no answer.
std::string toCsv(const LoadReport& report);

// A page: one HTML file without scripts that loads nothing, for light and dark screens, phones and
// screen readers. Its plots show `others` beside this run; `comparisons` are with them.
std::string toHtml(const LoadReport& report, const std::vector<EarlierRun>& others,
                   const std::vector<Comparison>& comparisons);

// Latencies in the percentile format of HdrHistogram, as its plotter reads it: values in
// milliseconds, five lines for each halving of the rest to 100 %.
std::string toHgrm(const LatencyHistogram& histogram);

}  // namespace load
