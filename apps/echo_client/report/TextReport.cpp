#include "echo_client/report/LoadReport.h"

#include <algorithm>

#include "common/Units.h"
#include "echo_client/report/MisbehaviourReport.h"
#include "echo_client/report/Words.h"
#include "echo_client/verdict/Repeats.h"

namespace load {

namespace {

std::string rate(double perSecond) {
    return apps::fixed(perSecond, perSecond < 100 ? 1 : 0) + "/s";
}

std::string percent(double part, int digits) {
    return apps::fixed(100 * part, digits) + " %";
}

constexpr std::size_t timeColumns = 9;

std::string timesHeader() {
    std::string cells;
    for (const char* name : {"min", "p50", "p90", "p99", "p99.9"}) {
        cells += padded(name, timeColumns);
    }
    return row("", cells + "max");
}

std::string latencies(const LatencyHistogram& histogram) {
    if (histogram.count() == 0) return "none";
    std::string cells = padded(apps::withUnit(histogram.min()), timeColumns);
    for (const double share : {50.0, 90.0, 99.0, 99.9}) {
        cells += padded(apps::withUnit(histogram.percentile(share)), timeColumns);
    }
    return cells + apps::withUnit(histogram.max());
}

// --- what was done --------------------------------------------------------------------------

std::string sizes(const SizeDistribution& size) {
    return size.isFixed() ? counted(size.largest(), "byte") : size.toString() + " bytes";
}

std::string heading(const LoadReport& report) {
    const LoadOptions& options = report.options;
    const std::string threads = counted(report.result.dispatchers.size(), "dispatcher");
    const std::string messages =
        options.dialogue ? counted(options.dialogue->turns.size(), "message") + " of --send"
                         : sizes(options.size);
    const std::string what = options.connectOnly
                                 ? "connects only"
                                 : messages + ", pipeline " + std::to_string(options.pipeline) +
                                       ", " + nameOf(options.framing);
    const std::string text = "echo-client: " + counted(options.connections, "connection") + " to " +
                             report.result.server + ", " + what + (options.tls ? ", TLS" : "") +
                             " (" + threads + ", " + report.result.selector + ")";
    return wrapped(text, labelColumns) + "\n";
}

std::string planned(const LoadReport& report) {
    const std::string mean = rate(report.result.offered) + " planned";
    const auto& curve = report.options.rate;
    return curve && curve->hasStages() ? mean + " on average (" + curve->toString() + ")" : mean;
}

std::string loop(const LoadReport& report) {
    if (report.options.connectOnly) {
        return "latency is the time until a connection is established\n";
    }
    if (report.options.isOneWay && !report.result.openLoop) {
        return "one way: a message is done when the kernel has taken it\n";
    }
    if (!report.result.openLoop) {
        return "closed loop: each connection waits for its answer before it sends again;\n"
               "             percentiles hide server stalls (use --rate to see them)\n";
    }
    const std::string text = "open loop: " + planned(report) + ", " +
                             nameOf(report.options.arrivals) +
                             " arrivals; messages are sent on schedule";
    return wrapped(text, 11) + "\n";
}

// --- what came of it ------------------------------------------------------------------------

std::string throughput(const LoadReport& report) {
    const LoadResult& result = report.result;
    const ModeWords words = report.options.words();
    std::string text = row("measured", apps::fixed(result.seconds(), 2) + " s" +
                                           (result.interrupted ? ", interrupted" : "")) +
                       row(words.many + "/s", apps::fixed(result.perSecond(), 0));
    if (result.openLoop) {
        const double achieved = result.offered > 0 ? result.perSecond() / result.offered : 0;
        text += row("planned", rate(result.offered) + ", " + percent(achieved, 2) + " achieved");
    }
    if (words.ways.empty()) return text;
    return text + row("MB/s", apps::fixed(result.megabytesPerSecond(), 2) + " " + words.ways);
}

std::string messages(const LoadReport& report) {
    const std::uint64_t planned = report.options.messages;
    const std::uint64_t sent = report.result.total.sent;
    if (sent >= planned) return "";
    return row("messages", std::to_string(sent) + " of " + std::to_string(planned));
}

std::string openLoopTimes(const LoadFigures& total) {
    return row("latency", latencies(total.latency)) +
           row("", "from the planned time: what a user waits") +
           row("service", latencies(total.service)) +
           row("", "from the actual send: what the server took") +
           row("lateness", latencies(total.lateness)) + row("", "how late the generator sent");
}

std::string notInTime(const LoadFigures& total) {
    std::string text;
    const auto add = [&text](const char* label, std::uint64_t count, const char* what) {
        if (count > 0) text += row(label, counted(count, "message") + what);
    };
    add("pipeline full", total.held, " sent late: --pipeline messages were in flight");
    add("offline", total.offline, " sent late: their connection was down");
    add("unsent", total.unsent, " planned and never sent");
    add("unanswered", total.unanswered, " measured, not included in these times");
    return text;
}

std::string handshakes(const LoadFigures& total) {
    if (total.handshake.count() == 0) return "";
    return row("handshake", latencies(total.handshake)) +
           row("", std::to_string(total.resumed) + " of " +
                       counted(total.handshake.count(), "TLS handshake") + " resumed a session");
}

std::string times(const LoadResult& result) {
    const LoadFigures& total = result.total;
    return timesHeader() +
           (result.openLoop ? openLoopTimes(total) : row("latency", latencies(total.latency))) +
           row("connect", latencies(total.connect)) + handshakes(total) + notInTime(total);
}

std::string outages(const LoadFigures& total) {
    std::string text;
    for (const Outage& outage : total.outages.all()) {
        text += row(text.empty() ? "outage" : "", toString(outage));
    }
    return text;
}

std::string busy(const LoadResult& result) {
    std::string text;
    for (const DispatcherLoad& dispatcher : result.dispatchers) {
        text += (text.empty() ? "" : ", ") + dispatcher.name + " " + percent(dispatcher.busy, 0);
    }
    return text.empty() ? "" : row("busy", text);
}

std::string serverProcess(const LoadReport& report) {
    const LoadResult& result = report.result;
    if (!result.serverUse) return "";
    const ServerUse& use = *result.serverUse;
    return row("server", apps::fixed(use.microsPerEcho(result.perSecond()), 3) +
                             " µs of CPU for each " + report.options.words().one + ", " +
                             percent(use.userPart(), 0) + " of it in user mode");
}

// --- what it is worth -----------------------------------------------------------------------

}  // namespace

std::string toText(const Verdict& verdict) {
    std::size_t columns = 0;
    for (const auto& check : verdict.checks) {
        columns = std::max(columns, columnsOf(check.requirement));
    }
    std::string text;
    for (const auto& check : verdict.checks) {
        text += row(text.empty() ? "required" : "", padded(check.requirement, columns) +
                                                        (check.met       ? "  met     "
                                                         : check.isKnown ? "  missed  "
                                                                         : "  unknown ") +
                                                        check.found);
    }
    return text;
}

namespace {

std::string run(std::size_t number, const std::string& noun, const LoadResult& result) {
    const std::string latency =
        result.total.latency.count() == 0
            ? "  no latency"
            : "  p50 " + padded(apps::withUnit(result.total.latency.percentile(50)), 7) + "  p99 " +
                  apps::withUnit(result.total.latency.percentile(99));
    return row("", rightAligned(std::to_string(number), 3) + ":  " +
                       rightAligned(apps::fixed(result.perSecond(), 0), 9) + " " + noun + "/s" +
                       latency + (result.lateness().empty() ? "" : "  generator late"));
}

// Of the runs that have the value.
std::string confidence(const std::vector<double>& values, std::string (*show)(double)) {
    if (values.empty()) return "none";
    const auto estimate = MedianEstimate::of(values);
    return "median " + show(estimate.median) + ", " + show(estimate.low) + " to " +
           show(estimate.high) + " with " + percent(estimate.confidence, 0) + " confidence";
}

std::string repeats(const LoadReport& report) {
    const std::vector<LoadResult>& results = report.repeats;
    if (results.empty()) return "";
    const std::string noun = report.options.words().many;
    const std::size_t columns = columnsOf(noun) + 4;
    std::vector<double> rates;
    std::vector<double> p99s;
    std::string runs;
    for (const LoadResult& result : results) {
        rates.push_back(result.perSecond());
        runs += run(rates.size(), noun, result);
        if (result.total.latency.count() == 0) continue;
        p99s.push_back(apps::microsOf(result.total.latency.percentile(99)));
    }
    const auto whole = [](double value) { return apps::fixed(value, 0); };
    return row("repeats", counted(results.size(), "run") +
                              (report.interrupted ? ", interrupted" : "") +
                              "; above: that of median throughput") +
           row("", padded(noun + "/s", columns) + confidence(rates, whole)) +
           row("", padded("p99", columns) + confidence(p99s, apps::microsWithUnit)) + runs;
}

std::string step(const SearchStep& step) {
    const std::string why = step.obstacle.empty() ? "" : " (" + step.obstacle + ")";
    return row("", rightAligned(rate(step.rate), 9) + " planned  " +
                       rightAligned(rate(step.achieved), 9) + " achieved  " + step.found +
                       (step.held              ? "  met"
                        : step.generatorsFault ? "  unknown"
                                               : "  missed") +
                       why);
}

std::string search(const LoadReport& report) {
    if (report.search.empty()) return "";
    double best = 0;
    std::string steps;
    for (const SearchStep& one : report.search) {
        if (one.held) best = std::max(best, one.rate);
        steps += step(one);
    }
    const std::string requirement =
        report.options.findMax ? report.options.findMax->toString() : "";
    return row("find-max", requirement + ": " +
                               (best > 0                               ? "up to " + rate(best)
                                : report.search.back().generatorsFault ? "cannot tell"
                                                                       : "missed at every rate") +
                               (report.interrupted ? ", interrupted" : "")) +
           steps;
}

std::string beside(const LoadReport& report) {
    if (!report.beside) return "";
    return row("beside",
               nameOf(report.options.beside->how) + ": " +
                   MisbehaviourReport(besideOptions(report.options), *report.beside).summary());
}

std::string validity(const LoadReport& report) {
    const std::string why = report.unknownBecause();
    if (!why.empty()) return row("verdict", why);
    const std::string warning = report.result.warning();
    return warning.empty() ? "" : row("warning", warning);
}

}  // namespace

std::string toText(const LoadReport& report) {
    const LoadResult& result = report.result;
    return heading(report) + loop(report) + throughput(report) + messages(report) + times(result) +
           row("connections",
               connectionsOf(result.total.connect.count(), report.options.connections)) +
           beside(report) + outages(result.total) + busy(result) + serverProcess(report) +
           row("errors", result.total.errors.toString()) + toText(report.verdict) +
           repeats(report) + search(report) + validity(report);
}

}  // namespace load
