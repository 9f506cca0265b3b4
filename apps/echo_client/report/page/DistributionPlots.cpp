// Percentiles and histogram.
#include <algorithm>
#include <cmath>
#include <limits>

#include "common/Units.h"
#include "echo_client/report/page/LatencyBins.h"
#include "echo_client/report/page/Markup.h"
#include "echo_client/report/page/Page.h"
#include "echo_client/report/page/SvgPlot.h"

namespace load::page {

namespace {

using Ends = PlotScale::Ends;

struct Range {
    double low = std::numeric_limits<double>::max();
    double high = 0;

    void take(const LatencyHistogram& histogram) {
        if (histogram.count() == 0) return;
        low = std::min(low, static_cast<double>(histogram.min().count()));
        high = std::max(high, static_cast<double>(histogram.max().count()));
    }
    bool isEmpty() const { return high < low; }
    // A logarithmic axis has no 0 ns.
    double first() const { return std::max(low, 1.0); }
    double last() const { return std::max(high, 1.0); }
};

Axis latencyAxis(const Range& range, Ends ends) {
    Axis axis{PlotScale::logarithmic(range.first(), range.last(), ends), "latency", {}};
    for (const double tick : axis.scale.ticks()) axis.ticks.push_back({tick, tickTime(tick)});
    return axis;
}

// --- percentiles ----------------------------------------------------------------------------

// How far right a percentile stands: 1 / (1 - p), so that each nine more takes as much room.
double standOf(double percent) {
    return 100 / (100 - percent);
}

struct Nines {
    double percent;
    const char* label;
};
constexpr Nines nines[] = {
    {50, "50 %"},       {90, "90 %"},         {99, "99 %"},           {99.9, "99.9 %"},
    {99.99, "99.99 %"}, {99.999, "99.999 %"}, {99.9999, "99.9999 %"}, {99.99999, "99.99999 %"}};

// Half a message remains behind the longest: it gets a step that can be seen.
double lastStand(const LatencyHistogram& histogram) {
    return 2 * static_cast<double>(histogram.count());
}

Axis percentileAxis(double last) {
    Axis axis{PlotScale::logarithmic(1, std::max(last, 10.0), Ends::exact), "percentile", {}};
    for (const Nines& nine : nines) {
        const double stand = standOf(nine.percent);
        if (stand <= axis.scale.high() * 1.001) axis.ticks.push_back({stand, nine.label});
    }
    // The two longest labels have no room beside each other.
    if (axis.ticks.size() == std::size(nines)) axis.ticks.erase(axis.ticks.end() - 2);
    return axis;
}

std::vector<Spot> percentileSpots(const LatencyHistogram& histogram) {
    std::vector<Spot> spots;
    const auto total = static_cast<double>(histogram.count());
    std::uint64_t seen = 0;
    histogram.forEach([&](LatencyHistogram::Duration value, std::uint64_t count) {
        seen += count;
        const auto left = static_cast<double>(histogram.count() - seen);
        const double stand = left > 0 ? total / left : lastStand(histogram);
        spots.push_back({stand, static_cast<double>(std::min(value, histogram.max()).count())});
    });
    return spots;
}

struct PercentileLine {
    std::string name;
    std::string style;
    const LatencyHistogram* histogram;
};

std::vector<PercentileLine> percentileLines(const LoadReport& report,
                                            const std::vector<Run>& runs) {
    std::vector<PercentileLine> lines;
    for (const Run& run : runs) {
        const std::string name = run.isThis() ? "latency" : run.name;
        lines.push_back({name, run.style + " p99", run.latency});
    }
    if (report.result.openLoop) {
        lines.push_back({"service time", "run0 service", &report.result.total.service});
    }
    return lines;
}

std::string textOf(const std::vector<PercentileLine>& lines, double percent, const char* label) {
    std::string text = label;
    for (const PercentileLine& line : lines) {
        if (line.histogram->count() == 0) continue;
        const double time = apps::microsOf(line.histogram->percentile(percent)) * 1000;
        text += (&line == &lines.front() ? ": " : ", ") + line.name + " " + timeText(time);
    }
    return text;
}

// Each nine is asked for from half the way before it to half the way behind it.
void addPercentileHovers(SvgPlot& plot, const std::vector<PercentileLine>& lines, double last) {
    double from = 1;
    for (std::size_t i = 0; i < std::size(nines) && from < last; ++i) {
        const bool isLast = i + 1 == std::size(nines);
        const double stand = standOf(nines[i].percent);
        const double to = isLast ? last : std::sqrt(stand * standOf(nines[i + 1].percent));
        plot.addHover(from, std::min(to, last), textOf(lines, nines[i].percent, nines[i].label));
        from = to;
    }
}

std::string percentileNote(bool openLoop) {
    std::string note = "How long the slowest few took; each nine takes as much room.";
    if (!openLoop) return note;
    return note + " The gap above the service time is what waiting to be sent cost.";
}

// --- histogram ------------------------------------------------------------------------------

double highestShare(const std::vector<LatencyBins>& all) {
    double highest = 0;
    for (const LatencyBins& bins : all) {
        for (const auto& bin : bins.bins()) highest = std::max(highest, bins.share(bin));
    }
    return highest;
}

Axis shareAxis(double highest, const std::string& noun) {
    Axis axis{PlotScale::linear(0, highest * 100, Ends::rounded), "of all " + noun, {}};
    for (const double tick : axis.scale.ticks()) {
        axis.ticks.push_back({tick, tickNumber(tick) + " %"});
    }
    return axis;
}

Axis binAxis(const std::vector<LatencyBins>& all) {
    Range range;
    for (const LatencyBins& bins : all) {
        if (bins.bins().empty()) continue;
        range.low = std::min(range.low, bins.bins().front().from);
        range.high = std::max(range.high, bins.bins().back().to);
    }
    return latencyAxis(range, Ends::exact);
}

void addBars(SvgPlot& plot, const LatencyBins& bins, const std::string& noun) {
    for (const auto& bin : bins.bins()) {
        if (bin.count == 0) continue;
        const double percent = bins.share(bin) * 100;
        plot.addBar("run0", bin.from, bin.to, percent,
                    timeText(bin.from) + " to " + timeText(bin.to) + ": " + grouped(bin.count) +
                        " " + noun + ", " + percentText(bins.share(bin), 2));
    }
}

// From the axis up, along the tops, and back.
void addOutline(SvgPlot& plot, const Run& run, const LatencyBins& bins, double end) {
    if (bins.bins().empty()) return;
    std::vector<Spot> spots{{bins.bins().front().from, 0}};
    for (const auto& bin : bins.bins()) spots.push_back({bin.to, bins.share(bin) * 100});
    spots.push_back({end, 0});
    plot.addSteps(run.name, run.style + " outline", spots);
}

std::vector<LatencyBins> binsOf(const std::vector<Run>& runs, const Range& range) {
    const int perDecade = LatencyBins::perDecadeFor(range.first(), range.last());
    std::vector<LatencyBins> all;
    all.reserve(runs.size());
    for (const Run& run : runs) all.emplace_back(*run.latency, perDecade);
    return all;
}

std::string histogramOf(const std::vector<Run>& runs, const Range& range, const std::string& noun) {
    const auto all = binsOf(runs, range);
    const Axis x = binAxis(all);
    SvgPlot plot("Histogram of " + grouped(runs[0].latency->count()) + " latencies between " +
                     timeText(range.low) + " and " + timeText(range.high),
                 x, shareAxis(highestShare(all), noun));
    addBars(plot, all[0], noun);
    for (std::size_t i = 1; i < runs.size(); ++i) addOutline(plot, runs[i], all[i], x.scale.high());
    return plot.toString();
}

}  // namespace

std::string percentilePlot(const LoadReport& report, const std::vector<Run>& runs) {
    const auto lines = percentileLines(report, runs);
    Range range;
    double last = 0;
    std::vector<Key> keys;
    for (const PercentileLine& line : lines) {
        range.take(*line.histogram);
        last = std::max(last, lastStand(*line.histogram));
        keys.push_back({line.style, line.name});
    }
    const std::string title = "Latency by percentile";
    if (range.isEmpty()) return plotCard(title, percentileNote(report.result.openLoop), {}, "");
    const Axis x = percentileAxis(last);
    SvgPlot plot(title + ". " + textOf(lines, 50, "50 %") + ". " + textOf(lines, 99, "99 %"), x,
                 latencyAxis(range, Ends::rounded));
    for (const PercentileLine& line : lines) {
        plot.addSteps(line.name, line.style, percentileSpots(*line.histogram));
    }
    addPercentileHovers(plot, lines, x.scale.high());
    return plotCard(title, percentileNote(report.result.openLoop), keys, plot.toString());
}

std::string histogramPlot(const LoadReport& report, const std::vector<Run>& runs) {
    const std::string noun = report.options.words().many;
    Range range;
    std::vector<Key> keys;
    for (const Run& run : runs) {
        range.take(*run.latency);
        keys.push_back({run.style + (run.isThis() ? " bars" : " outline"), run.name});
    }
    return plotCard("Histogram of latencies",
                    "How many " + noun + " took how long; each bar is wider by the same factor.",
                    keys, range.isEmpty() ? "" : histogramOf(runs, range, noun));
}

}  // namespace load::page
