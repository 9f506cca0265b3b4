#include "echo_client/report/page/Page.h"

#include <algorithm>
#include <cmath>

#include "echo_client/report/page/Markup.h"
#include "echo_client/report/page/Runs.h"
#include "echo_client/report/page/SvgPlot.h"

namespace load::page {

namespace {

using Steps = std::vector<SearchStep>;
using Ends = PlotScale::Ends;

const char* const disc = "M-5 0A5 5 0 1 0 5 0A5 5 0 1 0 -5 0";
const char* const cross = "M-5 -5L5 5M-5 5L5 -5";
const char* const triangle = "M-5 4L0 -5L5 4Z";

// How a step came out.
struct Outcome {
    const char* style;
    const char* word;
    const char* shape;
    const char* sign;
};

Outcome outcomeOf(const SearchStep& step) {
    if (step.generatorsFault) return {"unknown", "unknown", triangle, "⚠"};
    if (step.held) return {"met", "met", disc, "✓"};
    return {"failed", "missed", cross, "✗"};
}

// 0: none met the requirement.
double bestOf(const Steps& steps) {
    double best = 0;
    for (const SearchStep& step : steps) {
        if (step.held) best = std::max(best, step.rate);
    }
    return best;
}

Axis rateAxis(const Steps& steps) {
    double highest = 0;
    for (const SearchStep& step : steps) highest = std::max(highest, step.rate);
    Axis axis{PlotScale::linear(0, highest, Ends::rounded), "planned messages per second", {}};
    for (const double tick : axis.scale.ticks()) axis.ticks.push_back({tick, tickNumber(tick)});
    return axis;
}

// What has no time is at the top: not all was answered.
bool isShown(const SearchStep& step) {
    return std::isfinite(step.value);
}

// What is beyond the histogram's range, or of the axis, is drawn at its end.
double drawn(const SearchStep& step) {
    return std::clamp(step.value, 1.0, static_cast<double>(LatencyHistogram::highest.count()));
}

Axis timeAxis(const Steps& steps, const Requirement& wanted) {
    double low = wanted.bound();
    double high = low;
    for (const SearchStep& step : steps) {
        if (!isShown(step)) continue;
        low = std::min(low, drawn(step));
        high = std::max(high, drawn(step));
    }
    Axis axis{PlotScale::logarithmic(low, high, Ends::rounded), wanted.figure(), {}};
    for (const double tick : axis.scale.ticks()) axis.ticks.push_back({tick, tickTime(tick)});
    return axis;
}

// From the lowest rate to the highest; what a late generator spoiled is left out.
std::vector<Spot> curveOf(const Steps& steps) {
    std::vector<Spot> curve;
    for (const SearchStep& step : steps) {
        if (isShown(step) && !step.generatorsFault) curve.push_back({step.rate, drawn(step)});
    }
    std::ranges::stable_sort(curve, {}, &Spot::x);
    return curve;
}

std::string textOf(std::size_t run, const SearchStep& step) {
    return "run " + std::to_string(run) + ", " + rateText(step.rate) + "/s: " + step.found + ", " +
           outcomeOf(step).word + (step.obstacle.empty() ? "" : " (" + step.obstacle + ")");
}

std::string plotOf(const Steps& steps, const Requirement& wanted) {
    const double best = bestOf(steps);
    const Axis x = rateAxis(steps);
    const Axis y = timeAxis(steps, wanted);
    SvgPlot plot(wanted.figure() + " against rate: " + std::to_string(steps.size()) +
                     " runs, best " + rateText(best) + " per second",
                 x, y);
    const double bound = wanted.bound();
    plot.addLine(wanted.toString(), "planned", {{x.scale.low(), bound}, {x.scale.high(), bound}});
    if (best > 0) plot.addLine("best", "best", {{best, y.scale.low()}, {best, y.scale.high()}});
    plot.addLine(wanted.figure(), "run0 curve", curveOf(steps));
    for (std::size_t i = 0; i < steps.size(); ++i) {
        const SearchStep& step = steps[i];
        const Outcome outcome = outcomeOf(step);
        plot.addMark(outcome.style, outcome.shape,
                     {step.rate, isShown(step) ? drawn(step) : y.scale.high()},
                     textOf(i + 1, step));
    }
    return plot.toString();
}

std::string tableOf(const Steps& steps) {
    Table table("All runs", {"Run", "Planned/s", "Answered/s", "Found", "", "Obstacle"});
    for (std::size_t i = 0; i < steps.size(); ++i) {
        const SearchStep& step = steps[i];
        table.row({std::to_string(i + 1), rateText(step.rate), rateText(step.achieved), step.found,
                   std::string(outcomeOf(step).sign) + " " + outcomeOf(step).word, step.obstacle});
    }
    return table.toString();
}

}  // namespace

std::string search(const LoadReport& report) {
    if (report.search.empty() || !report.options.findMax) return "";
    const Steps& steps = report.search;
    const Requirement& wanted = *report.options.findMax;
    const double best = bestOf(steps);
    const std::string note = best > 0 ? "The highest rate that met " + wanted.toString() + ": " +
                                            rateText(best) + " per second."
                                      : "No rate met " + wanted.toString() + ".";
    const bool allShown = std::ranges::all_of(steps, isShown);
    return plotCard("Search for the highest rate",
                    note + (allShown ? "" : " At the top: messages without an answer."),
                    {{"met", "met", "M10 5a5 5 0 1 0 10 0a5 5 0 1 0 -10 0"},
                     {"failed", "missed", "M10 0L20 10M10 10L20 0"},
                     {"unknown", "unknown: the generator was late", "M10 9L15 0L20 9Z"},
                     {"run0 curve", wanted.figure()},
                     {"planned", wanted.toString()},
                     {"best", "best"}},
                    element("div class=\"columns\"", element("div", plotOf(steps, wanted)) +
                                                         element("div", tableOf(steps))));
}

}  // namespace load::page
