// What the page shows of an earlier run, from what that run left with --json.
//
// Thread: any; a value.
#pragma once

#include <string>
#include <vector>

#include <nio/base/Result.h>

#include "common/LatencyHistogram.h"
#include "echo_client/figures/Sample.h"

namespace load {

using apps::LatencyHistogram;

struct EarlierRun {
    std::string name;  // the file, as it was named
    std::vector<Point> series;
    LatencyHistogram latency;

    // Blocks. Errors: what the system says of the file; file_too_large over 64 MiB;
    // invalid_argument where it is no JSON, or not that of a result. The context is the whole
    // sentence: "a.json: not JSON".
    static nio::Result<EarlierRun> read(const std::string& path);
    // The same for what was read. `name` is for the errors, too.
    static nio::Result<EarlierRun> parse(const std::string& name, const std::string& text);
};

}  // namespace load
