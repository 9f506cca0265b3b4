// Throughput and latency over time.
#include <algorithm>
#include <cmath>
#include <utility>

#include "common/Units.h"
#include "echo_client/report/page/Markup.h"
#include "echo_client/report/page/Page.h"
#include "echo_client/report/page/SvgPlot.h"

namespace load::page {

namespace {

using Series = std::vector<Point>;
using Ends = PlotScale::Ends;

// More places than that nobody can point at.
constexpr std::size_t mostHovers = 400;
constexpr std::size_t mostRows = 600;
constexpr double nanosecondsOfMicro = 1000;

struct Curve {
    const char* name;
    double Point::*micros;
};
constexpr Curve curves[] = {
    {"p50", &Point::p50}, {"p90", &Point::p90}, {"p99", &Point::p99}, {"max", &Point::max}};

template <class F>
std::vector<Spot> spotsOf(const Series& series, const F& valueOf) {
    std::vector<Spot> spots;
    spots.reserve(series.size());
    for (const Point& point : series) spots.push_back({point.at, valueOf(point)});
    return spots;
}

// What is beyond the histogram's range is drawn at its end.
double drawn(double micros) {
    const bool isBeyond = micros == apps::microsOf(LatencyHistogram::beyond);
    return isBeyond ? apps::microsOf(LatencyHistogram::highest) : micros;
}

std::vector<Spot> latencySpots(const Series& series, double Point::*micros) {
    return spotsOf(series,
                   [micros](const Point& p) { return drawn(p.*micros) * nanosecondsOfMicro; });
}

std::string seconds(double at) {
    return tickNumber(std::round(at * 100) / 100) + " s";
}

std::string micros(double value) {
    return timeText(value * nanosecondsOfMicro);
}

Axis timeAxis(const std::vector<Run>& runs) {
    double last = 0;
    for (const Run& run : runs) {
        for (const Point& point : *run.series) {
            if (std::isfinite(point.at)) last = std::max(last, point.at);
        }
    }
    Axis axis{PlotScale::linear(0, last, Ends::exact), "time since the load began", {}};
    for (const double tick : axis.scale.ticks()) axis.ticks.push_back({tick, seconds(tick)});
    return axis;
}

double secondsOf(nio::Clock::duration time) {
    return std::chrono::duration<double>(time).count();
}

// Before and after the measured time: nothing there counts in the figures.
void shadeTheUnmeasured(SvgPlot& plot, const Series& series) {
    const auto isMeasured = [](const Point& point) { return point.isMeasured(); };
    const auto first = std::find_if(series.begin(), series.end(), isMeasured);
    const auto last = std::find_if(series.rbegin(), series.rend(), isMeasured);
    if (first == series.end()) return;
    const char* const text = "not measured";
    if (first != series.begin()) plot.addShade(0, std::prev(first)->at, text);
    if (last != series.rbegin()) plot.addShade(last->at, series.back().at, text);
}

void addShades(SvgPlot& plot, const LoadResult& result) {
    const Series& series = result.series;
    if (series.empty()) return;
    shadeTheUnmeasured(plot, series);
    const double end = series.back().at;
    for (const Outage& outage : result.total.outages.all()) {
        if (secondsOf(outage.from) >= end) continue;
        plot.addShade(secondsOf(outage.from), std::min(secondsOf(outage.to), end), "outage");
    }
}

bool hasUnmeasured(const Series& series) {
    return std::any_of(series.begin(), series.end(),
                       [](const Point& p) { return p.isMeasured(); }) &&
           std::any_of(series.begin(), series.end(),
                       [](const Point& p) { return !p.isMeasured(); });
}

std::string latenciesOf(const Point& point) {
    if (!point.isAnswered()) return "no latency";
    return "p50 " + micros(point.p50) + ", p90 " + micros(point.p90) + ", p99 " +
           micros(point.p99) + ", p99.9 " + micros(point.p999) + ", max " + micros(point.max);
}

std::string textOf(const Point& point, const std::string& noun) {
    return seconds(point.at) + ": " + rateText(point.perSecond) + " " + noun + "/s, " +
           latenciesOf(point) + (point.isMeasured() ? "" : " (not measured)");
}

// Each point is asked for up to half the way to its neighbours.
void addHovers(SvgPlot& plot, const LoadReport& report) {
    const Series& series = report.result.series;
    const std::string noun = report.options.words().many;
    const std::size_t stride = 1 + series.size() / mostHovers;
    double from = 0;
    for (std::size_t i = 0; i < series.size(); i += stride) {
        const bool last = i + stride >= series.size();
        const double next = last ? series.back().at : series[i + stride].at;
        const double to = last ? next : (series[i].at + next) / 2;
        plot.addHover(from, to, textOf(series[i], noun));
        from = to;
    }
}

// --- throughput -----------------------------------------------------------------------------

double highestRate(const std::vector<Run>& runs, const std::vector<Spot>& planned) {
    double highest = 0;
    for (const Run& run : runs) {
        for (const Point& point : *run.series) highest = std::max(highest, point.perSecond);
    }
    for (const Spot spot : planned) highest = std::max(highest, spot.y);
    return highest;
}

Axis rateAxis(double highest, const std::string& noun) {
    Axis axis{PlotScale::linear(0, highest, Ends::rounded), noun + " per second", {}};
    for (const double tick : axis.scale.ticks()) axis.ticks.push_back({tick, tickNumber(tick)});
    return axis;
}

// A search plans other rates than the command line's.
bool followsStages(const LoadOptions& options) {
    return options.rate && options.rate->hasStages() && !options.findMax;
}

// What the plan wanted: a mean over each point's interval.
std::vector<Spot> plannedSpots(const LoadReport& report) {
    if (!report.result.openLoop) return {};
    const Series& series = report.result.series;
    if (!followsStages(report.options)) {
        return spotsOf(series, [&](const Point&) { return report.result.offered; });
    }
    double before = 0;
    return spotsOf(series, [&](const Point& point) {
        const double from = std::exchange(before, point.at);
        return report.options.rate->meanRate(from, point.at);
    });
}

std::vector<Spot> onTheAxis(const Series& series) {
    return spotsOf(series, [](const Point&) { return 0.0; });
}

std::string throughputTable(const Series& series, const std::string& noun) {
    if (series.empty() || series.size() > mostRows) return "";
    Table table("All points", {"Time", noun + "/s", "MB/s", "p50", "p90", "p99", "p99.9", "max",
                               "Errors so far"});
    for (const Point& point : series) {
        table.row({seconds(point.at), rateText(point.perSecond), rateText(point.megabytesPerSecond),
                   micros(point.p50), micros(point.p90), micros(point.p99), micros(point.p999),
                   micros(point.max), grouped(point.errors)},
                  point.isMeasured() ? "" : "unmeasured");
    }
    return element("details",
                   element("summary", "Both plots over time as a table") + table.toString());
}

// --- latency --------------------------------------------------------------------------------

// Lowest and highest that there is to show; not positive: nothing.
std::pair<double, double> latencyRange(const std::vector<Run>& runs) {
    double low = 0;
    double high = 0;
    for (const Run& run : runs) {
        for (const Point& point : *run.series) {
            const double least = drawn(point.p50);
            if (least > 0) low = low > 0 ? std::min(low, least) : least;
            high = std::max(high, drawn(run.isThis() ? point.max : point.p99));
        }
    }
    return {low * nanosecondsOfMicro, high * nanosecondsOfMicro};
}

Axis latencyAxis(std::pair<double, double> range) {
    Axis axis{PlotScale::logarithmic(range.first, range.second, Ends::rounded), "latency", {}};
    for (const double tick : axis.scale.ticks()) axis.ticks.push_back({tick, tickTime(tick)});
    return axis;
}

void addFan(SvgPlot& plot, const Run& run) {
    for (std::size_t i = 1; i < std::size(curves); ++i) {
        plot.addBand(run.style + " fan" + std::to_string(i),
                     latencySpots(*run.series, curves[i].micros),
                     latencySpots(*run.series, curves[i - 1].micros));
    }
    for (const Curve& curve : curves) {
        plot.addLine(curve.name, run.style + " " + curve.name,
                     latencySpots(*run.series, curve.micros));
    }
}

std::string noteOf(const std::string& note, const LoadReport& report) {
    const bool unmeasured = hasUnmeasured(report.result.series);
    if (report.result.total.outages.all().empty()) {
        return note + (unmeasured ? " Shaded: not measured." : "");
    }
    return note + (unmeasured ? " Shaded: not measured, or an outage." : " Shaded: an outage.");
}

}  // namespace

std::string throughputPlot(const LoadReport& report, const std::vector<Run>& runs) {
    const std::string title = "Throughput over time";
    const std::string noun = report.options.words().many;
    const Axis time = timeAxis(runs);
    const auto planned = plannedSpots(report);
    SvgPlot plot(title + ": " + std::to_string(report.result.series.size()) + " points, " +
                     rateText(report.result.perSecond()) + " " + noun + " per second on average",
                 time, rateAxis(highestRate(runs, planned), noun));
    addShades(plot, report.result);
    std::vector<Key> keys;
    bool any = false;
    for (const Run& run : runs) {
        const auto spots = spotsOf(*run.series, [](const Point& p) { return p.perSecond; });
        if (run.isThis()) plot.addBand("run0 area", spots, onTheAxis(*run.series));
        plot.addLine(run.name, run.style + " rate", spots);
        keys.push_back({run.style + " rate", run.name});
        any = any || !spots.empty();
    }
    if (!planned.empty()) plot.addLine("planned", "planned", planned);
    if (!planned.empty()) keys.push_back({"planned", "planned"});
    addHovers(plot, report);
    const std::string note = noteOf("How many " + noun + " per second.", report);
    return plotCard(title, note, keys,
                    any ? plot.toString() + throughputTable(report.result.series, noun) : "");
}

std::string latencyPlot(const LoadReport& report, const std::vector<Run>& runs) {
    const std::string title = "Latency over time";
    const auto range = latencyRange(runs);
    SvgPlot plot(title + ": p50, p90, p99 and max of " +
                     std::to_string(report.result.series.size()) + " points, between " +
                     timeText(range.first) + " and " + timeText(range.second),
                 timeAxis(runs), latencyAxis(range));
    addShades(plot, report.result);
    std::vector<Key> keys;
    for (const Curve& curve : curves)
        keys.push_back({"run0 " + std::string(curve.name), curve.name});
    for (const Run& run : runs) {
        if (run.isThis()) {
            addFan(plot, run);
            continue;
        }
        plot.addLine(run.name + ", p99", run.style + " p99",
                     latencySpots(*run.series, &Point::p99));
        keys.push_back({run.style + " p99", run.name + ", p99"});
    }
    addHovers(plot, report);
    return plotCard(
        title,
        noteOf("Of the " + report.options.words().many + " in each stretch of time; logarithmic.",
               report),
        keys, range.second > 0 ? plot.toString() : "");
}

}  // namespace load::page
