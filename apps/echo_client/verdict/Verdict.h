// What a run's exit code is, and the one line that says why.
//
// Thread: any; a value.
#pragma once

#include <string>
#include <vector>

#include "echo_client/figures/LoadResult.h"
#include "echo_client/options/LoadOptions.h"
#include "echo_client/verdict/RateSearch.h"

namespace load {

enum ExitCode {
    exitPass = 0,
    exitIo = 1,
    exitUsage = 2,
    exitWrongAnswer = 3,
    exitRequirementMissed = 4,
    exitCannotTell = 5,
};

// In the order of Verdict: a pass is the least.
bool isGraver(int exitCode, int than);

// The gravest trouble decides: a wrong answer, then connect and I/O errors (where a requirement
// speaks of "errors", they are its own; but a run without any echo has failed), then a requirement
// that was missed: one of --require, or that of --find-max. An outage that is not over at the end
// is an error whatever is required, and so is a message of --messages that was not sent. A late
// generator makes times longer: an upper bound that is met nevertheless is met, a lower one that is
// missed nevertheless is missed. The rest is only known if the runs whose generator was in time,
// judged by themselves, say so, too; otherwise it is unknown.
struct Verdict {
    int exitCode = exitPass;
    std::string complaint;  // no newline; empty for a pass
    struct Check {
        std::string requirement;  // as written
        std::string found;        // "p99 = 1.20 ms"
        bool met = false;
        bool isKnown = true;  // false: not met, or only because the generator was late
    };
    // The figure of a requirement in one run.
    struct Found {
        double value = 0;
        std::string text;  // "p99 = 1.20 ms"
        bool isMet = false;
        bool isExcused = false;  // the generator was late, which may have made the figure
    };
    std::vector<Check> checks;
    std::string warning{};  // of a pass: the generator was late; no newline, may be empty

    static Verdict of(const LoadOptions& options, const LoadResult& result);
    // Of several runs of the same load: the gravest trouble of any; a requirement of a time or rate
    // holds if it does for the median of its figure (of the middle two the greater), one of a count
    // if it does in every run. Not empty.
    static Verdict ofAll(const LoadOptions& options, const std::vector<LoadResult>& runs);
    // Of the best run of a search; a pass only where a rate has held. Where the generator was late
    // at the next rate, the server may be able to do more: nobody can tell.
    static Verdict ofSearch(const LoadOptions& options, const LoadResult& best,
                            const std::vector<SearchStep>& steps);

    // A requirement in the runs of one load, not empty, as ofAll() says.
    static Check judge(const Requirement& requirement, const std::vector<Found>& runs);
    // Of checks alone; `lateness` is why some are unknown.
    static Verdict ofChecks(const LoadOptions& options, std::vector<Check> checks,
                            const std::string& lateness);
    // Another trouble, which decides if it is the graver one.
    void add(ExitCode code, const std::string& trouble);
    // Wrong answers of any run, also of one that the verdict is not about.
    void addWrongAnswers(const LoadErrors& errors);
};

}  // namespace load
