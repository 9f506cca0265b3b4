#include "echo_client/report/page/Page.h"

#include <algorithm>

#include "echo_client/report/page/Markup.h"
#include "echo_client/report/page/Runs.h"
#include "echo_client/report/page/SvgPlot.h"

namespace load::page {

namespace {

using Steps = std::vector<SearchStep>;
using Ends = PlotScale::Ends;

constexpr std::size_t mostLabels = 20;
const char* const disc = "M-5 0A5 5 0 1 0 5 0A5 5 0 1 0 -5 0";
const char* const cross = "M-5 -5L5 5M-5 5L5 -5";

// 0: none held.
double bestOf(const Steps& steps) {
    double best = 0;
    for (const SearchStep& step : steps) {
        if (step.held) best = std::max(best, step.rate);
    }
    return best;
}

Axis runAxis(std::size_t runs) {
    Axis axis{PlotScale::linear(0.5, static_cast<double>(runs) + 0.5, Ends::exact), "run", {}};
    const std::size_t stride = 1 + runs / mostLabels;
    for (std::size_t i = 1; i <= runs; i += stride) {
        axis.ticks.push_back({static_cast<double>(i), std::to_string(i)});
    }
    return axis;
}

Axis rateAxis(const Steps& steps) {
    double highest = 0;
    for (const SearchStep& step : steps) highest = std::max(highest, step.rate);
    Axis axis{PlotScale::linear(0, highest, Ends::rounded), "planned messages per second", {}};
    for (const double tick : axis.scale.ticks()) axis.ticks.push_back({tick, tickNumber(tick)});
    return axis;
}

std::string textOf(const SearchStep& step) {
    return rateText(step.rate) + "/s: " + step.found + (step.held ? ", held" : ", not held") +
           (step.obstacle.empty() ? "" : " (" + step.obstacle + ")");
}

std::string plotOf(const Steps& steps) {
    const double best = bestOf(steps);
    const Axis x = runAxis(steps.size());
    SvgPlot plot("Search for the highest rate: " + std::to_string(steps.size()) + " runs, best " +
                     rateText(best) + " per second",
                 x, rateAxis(steps));
    if (best > 0) plot.addLine("best", "best", {{x.scale.low(), best}, {x.scale.high(), best}});
    for (std::size_t i = 0; i < steps.size(); ++i) {
        const bool held = steps[i].held;
        const double run = static_cast<double>(i) + 1;
        plot.addMark(held ? "held" : "failed", held ? disc : cross, {run, steps[i].rate},
                     textOf(steps[i]));
    }
    return plot.toString();
}

std::string tableOf(const Steps& steps) {
    Table table("All runs", {"Run", "Planned/s", "Answered/s", "Found", "", "Obstacle"});
    for (std::size_t i = 0; i < steps.size(); ++i) {
        const SearchStep& step = steps[i];
        table.row({std::to_string(i + 1), rateText(step.rate), rateText(step.achieved), step.found,
                   step.held ? "✓ held" : "✗ not held", step.obstacle});
    }
    return table.toString();
}

}  // namespace

std::string search(const LoadReport& report) {
    if (report.search.empty()) return "";
    const double best = bestOf(report.search);
    const std::string wanted = report.options.findMax ? report.options.findMax->toString() : "";
    const std::string note =
        best > 0 ? "The highest rate that held " + wanted + ": " + rateText(best) + " per second."
                 : "No rate held " + wanted + ".";
    return plotCard("Search for the highest rate", note,
                    {{"held", "held", "M10 5a5 5 0 1 0 10 0a5 5 0 1 0 -10 0"},
                     {"failed", "not held", "M10 0L20 10M10 10L20 0"},
                     {"best", "best"}},
                    element("div class=\"columns\"", element("div", plotOf(report.search)) +
                                                         element("div", tableOf(report.search))));
}

}  // namespace load::page
