// A run as its --json file tells it: what it is compared by, and what the page's plots show of it.
//
// Thread: any; a value.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include <nio/base/Result.h>

#include "common/LatencyHistogram.h"
#include "echo_client/figures/Sample.h"
#include "echo_client/options/Requirement.h"

namespace load {

using apps::LatencyHistogram;

struct EarlierRun {
    // One of --repeat, or the only one.
    struct Run {
        double perSecond = 0;
        // Of the answers, in microseconds: "min", "p99.9". Not a number: none; infinite: > 60 s.
        std::map<std::string, double> times;
        double echoes = 0;  // measured and answered
        double unanswered = 0;
        double unsent = 0;
        double errors = 0;
        std::optional<double> cpuMicros;  // of the server, for each echo
        double stoodStill = 0;            // its generator, in seconds
        bool wasLate = false;             // its generator, as LoadResult::lateness() says

        // Of a requirement, in its units, as Requirement::valueIn() says. Absent: files do not
        // tell it, as they do not tell a percentile within the answers where some are missing.
        std::optional<double> valueOf(const std::string& figure) const;
    };

    std::string name;                         // the file, as it was named; printable
    int exitCode = 0;                         // of the run
    std::map<std::string, std::string> load;  // what must be the same for a fair comparison
    std::vector<Run> runs;                    // not empty
    std::vector<Point> series;
    LatencyHistogram latency;

    // Blocks. Errors: what the system says of the file; file_too_large over 64 MiB;
    // invalid_argument where it is no JSON, or not that of a result. The context is the whole
    // sentence: "a.json: not JSON".
    static nio::Result<EarlierRun> read(const std::string& path);
    // The same for what was read. `name` is for the errors, too.
    static nio::Result<EarlierRun> parse(const std::string& name, const std::string& text);

    // The bound that "before" is: of times and rates the median, as Verdict::ofAll() takes it, of
    // counts the most in any run. As Run::valueOf().
    std::optional<double> valueOf(const Requirement& requirement) const;
};

}  // namespace load
