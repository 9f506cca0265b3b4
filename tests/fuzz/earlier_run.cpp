// What `echo-client --compare` reads: a result of an earlier run, as JSON. What must hold:
//  - a run, or an error of one line that names the file;
//  - its latencies are in order and within what was recorded, its points are not negative;
//  - it can be compared with itself and judged, in lines without control characters.
//
// Input: the file.

#include <algorithm>

#include "echo_client/report/Comparison.h"
#include "echo_client/report/EarlierRun.h"

#include "fuzz/FuzzTarget.h"

namespace {

using fuzz::require;

// In a comparison and a verdict.
void checkText(const std::string& text) {
    const auto isControl = [](char byte) { return byte >= 0 && byte < ' ' && byte != '\n'; };
    require(std::none_of(text.begin(), text.end(), isControl), "it is harmless for a terminal");
}

void checkFigure(const load::EarlierRun& run, const std::string& figure) {
    load::LoadOptions options;
    options.requirements.push_back(load::Requirement::parse(figure + "<=before").orThrow());
    const auto lack = load::settleRequirements(options.requirements, {run});
    if (lack) return checkText(*lack);
    const auto verdict = load::judge(options, run);
    require(verdict.ok(), "what has a bound has a value");
    checkText(load::toText(verdict.value()));
}

void check(const load::EarlierRun& run) {
    checkText(load::Comparison::of(run, run).toText());
    for (const char* figure : {"rate", "errors", "unsent", "min", "mean", "p99.9", "max"}) {
        checkFigure(run, figure);
    }
    auto before = run.latency.min();
    for (const double percent : {0.1, 50.0, 90.0, 99.0, 99.9, 100.0}) {
        const auto value = run.latency.percentile(percent);
        if (run.latency.count() > 0) require(value >= before, "percentiles ascend");
        const bool isKnown = run.latency.count() > 0 && value != apps::LatencyHistogram::beyond;
        if (isKnown) require(value <= run.latency.max(), "up to the largest");
        before = value;
    }
    for (const load::Point& point : run.series) {
        require(point.at >= 0 && point.perSecond >= 0 && point.megabytesPerSecond >= 0,
                "a point is somewhere");
    }
}

void run(fuzz::FuzzInput input) {
    const std::string text(input.rest());
    const auto read = load::EarlierRun::parse("a.json", text);
    if (read) return check(read.value());
    const std::string& context = read.error().context();
    require(context.starts_with("a.json: "), "the file is named");
    require(context.find('\n') == std::string::npos, "what is wrong is one line");
}

const fuzz::FuzzTarget target("earlier_run", run);

}  // namespace
