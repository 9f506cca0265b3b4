#include "echo_client/report/page/Page.h"

#include <algorithm>
#include <cmath>

#include <nio/version.h>

#include "common/Units.h"
#include "echo_client/report/Comparison.h"
#include "echo_client/report/page/Markup.h"
#include "echo_client/verdict/Repeats.h"

namespace load::page {

namespace {

constexpr double tooBusy = 0.9;

std::string card(const std::string& title, const std::string& content) {
    return element("section class=\"card\"", element("h2", title) + "\n" + content) + "\n";
}

std::string cell(const LatencyHistogram& histogram, double percent) {
    return histogram.count() == 0 ? "–" : apps::withUnit(histogram.percentile(percent));
}

// --- percentiles ----------------------------------------------------------------------------

struct Column {
    std::string name;
    const LatencyHistogram* histogram;
};

std::vector<Column> columnsOf(const LoadFigures& total, bool openLoop,
                              const std::vector<EarlierRun>& others) {
    std::vector<Column> columns{{"Latency", &total.latency}};
    for (const EarlierRun& other : others) {
        columns.push_back({"Latency, " + other.name, &other.latency});
    }
    if (openLoop) columns.push_back({"Service time", &total.service});
    if (openLoop) columns.push_back({"Lateness", &total.lateness});
    columns.push_back({"Connecting", &total.connect});
    if (total.handshake.count() > 0) columns.push_back({"TLS handshake", &total.handshake});
    return columns;
}

template <class F>
void addRow(Table& table, const std::string& name, const std::vector<Column>& columns,
            const F& cellOf) {
    std::vector<std::string> cells{name};
    for (const Column& column : columns) cells.push_back(cellOf(*column.histogram));
    table.row(cells);
}

std::string percentiles(const LoadReport& report, const std::vector<EarlierRun>& others) {
    const auto columns = columnsOf(report.result.total, report.result.openLoop, others);
    std::vector<std::string> heads{"Percentile"};
    for (const Column& column : columns) heads.push_back(column.name);
    Table table("Latency by percentile", heads);
    const auto minimum = [](const LatencyHistogram& histogram) {
        return histogram.count() == 0 ? "–" : apps::withUnit(histogram.min());
    };
    addRow(table, "min", columns, minimum);
    for (const char* percent : {"50", "75", "90", "95", "99", "99.9", "99.99", "100"}) {
        addRow(table, std::string(percent) + " %", columns, [&](const LatencyHistogram& histogram) {
            return cell(histogram, std::stod(percent));
        });
    }
    addRow(table, "counted", columns,
           [](const LatencyHistogram& histogram) { return grouped(histogram.count()); });
    return card("Percentiles", table.toString());
}

// --- dispatchers ----------------------------------------------------------------------------

std::string dispatcherBar(const DispatcherLoad& load) {
    const double busy = load.busy >= 0 ? std::min(load.busy, 1.0) : 0;  // not a number: 0
    const bool over = busy > tooBusy;
    const std::string bar = "<div class=\"load" + std::string(over ? " over" : "") +
                            "\"><i style=\"width:" + apps::fixed(busy * 100, 1) + "%\"></i></div>";
    return element("tr", element("th scope=\"row\"", escape(load.name)) + element("td", bar) +
                             element("td", percentText(busy, 0) + (over ? ", over 90 %" : ""))) +
           "\n";
}

std::string dispatchers(const LoadResult& result) {
    if (result.dispatchers.empty()) return "";
    std::string rows;
    for (const DispatcherLoad& load : result.dispatchers) rows += dispatcherBar(load);
    const std::string heads =
        element("thead", element("tr", element("th scope=\"col\"", "Dispatcher") + "<td></td>" +
                                           element("th scope=\"col\"", "Busy")));
    return card("Dispatchers",
                element("table class=\"loads\"",
                        element("caption", "Time on the CPU, of the time with load (" +
                                               escape(result.selector) + ")") +
                            heads + element("tbody", rows)));
}

// --- errors ---------------------------------------------------------------------------------

void addCount(Table& table, std::uint64_t count, const std::string& kind,
              const std::string& meaning) {
    if (count > 0) table.row({kind, grouped(count), meaning});
}

std::string errorTable(const LoadFigures& total) {
    const LoadErrors& errors = total.errors;
    Table table("By kind", {"Kind", "Count", "Meaning"});
    addCount(table, errors.lost, "lost", "never answered, although a later message was");
    addCount(table, errors.duplicated, "duplicated", "answered more than once");
    addCount(table, errors.reordered, "reordered", "answered after a later message");
    addCount(table, errors.corrupted, "corrupted", "an answer that matches no message");
    for (const auto& [reason, count] : errors.connect) {
        addCount(table, count, "connect", reason);
    }
    addCount(table, errors.reset, "reset", "connections reset by the server");
    addCount(table, errors.closedEarly, "closed early", "connections closed by the server");
    addCount(table, errors.timedOut, "timed out", "messages without an answer within --timeout");
    for (const auto& [reason, count] : errors.other) addCount(table, count, "other", reason);
    addCount(table, total.held, "pipeline full",
             "no error: sent late, since --pipeline messages were in flight");
    addCount(table, total.unsent, "unsent", "no error: planned and never sent");
    addCount(table, total.unanswered, "unanswered",
             "measured messages without an answer for any reason; not included in the times");
    return table.isEmpty() ? element("p", "None.") : table.toString();
}

std::string example(const std::string& title, const std::string& text) {
    if (text.empty()) return "";
    return element("h3", title) + element("pre tabindex=\"0\"", escape(text)) + "\n";
}

std::string errors(const LoadFigures& total) {
    return card("Errors", errorTable(total) +
                              example("A failed connection", total.errors.connectExample) +
                              example("A wrong answer", total.errors.wrongAnswerExample) +
                              example("The first wrong answer's bytes", total.errors.badFrame));
}

// --- repeats --------------------------------------------------------------------------------

template <class F>
std::vector<double> valuesOf(const std::vector<LoadResult>& results, const F& valueOf) {
    std::vector<double> values;
    values.reserve(results.size());
    for (const LoadResult& result : results) values.push_back(valueOf(result));
    return values;
}

// Of the runs that have the value: the others' is not a number. Fewer runs are less certain than
// the table's caption says.
template <class T>
std::vector<std::string> medianAndInterval(const std::vector<double>& values, const T& textOf) {
    std::vector<double> known;
    for (const double value : values) {
        if (!std::isnan(value)) known.push_back(value);
    }
    if (known.empty()) return {"–", "–"};
    const auto estimate = MedianEstimate::of(known);
    std::string interval = textOf(estimate.low) + " to " + textOf(estimate.high);
    if (known.size() < values.size()) interval += ", with " + percentText(estimate.confidence, 1);
    return {textOf(estimate.median), interval};
}

template <class F, class T>
void addEstimate(Table& table, const std::string& name, const std::vector<LoadResult>& results,
                 const F& valueOf, const T& textOf) {
    const auto values = valuesOf(results, valueOf);
    std::vector<std::string> cells = medianAndInterval(values, textOf);
    cells.insert(cells.begin(), name);
    for (const double value : values) cells.push_back(std::isnan(value) ? "–" : textOf(value));
    table.row(cells);
}

// Not a number where there was no answer.
double nanosOf(const LatencyHistogram& latency, double percent) {
    return latency.count() == 0 ? std::nan("") : apps::microsOf(latency.percentile(percent)) * 1000;
}

std::string repeats(const LoadReport& report) {
    const std::vector<LoadResult>& results = report.repeats;
    if (results.empty()) return "";
    const auto rates = valuesOf(results, [](const LoadResult& r) { return r.perSecond(); });
    std::vector<std::string> heads{"", "Median", "Interval"};
    for (std::size_t i = 1; i <= results.size(); ++i) heads.push_back("Run " + std::to_string(i));
    Table table("The true median is within the interval with a probability of " +
                    percentText(MedianEstimate::of(rates).confidence, 1),
                heads);
    addEstimate(
        table, report.options.words().many + "/s", results,
        [](const LoadResult& r) { return r.perSecond(); }, rateText);
    for (const char* percent : {"50", "99", "99.9", "100"}) {
        const auto valueOf = [percent](const LoadResult& result) {
            return nanosOf(result.total.latency, std::stod(percent));
        };
        const std::string name = percent == std::string("100") ? "max" : std::string("p") + percent;
        addEstimate(table, name, results, valueOf, timeText);
    }
    addEstimate(
        table, "errors", results,
        [](const LoadResult& r) { return static_cast<double>(r.total.errors.total()); }, rateText);
    return card("Repeats", table.toString() + element("p class=\"dim\"",
                                                      "All else on this page is of the run "
                                                      "with the median throughput."));
}

// --- comparisons ----------------------------------------------------------------------------

std::string differences(const std::vector<Comparison>& comparisons) {
    std::string tables;
    for (const Comparison& comparison : comparisons) {
        Table table(comparison.heading, {"", "Before", "Now", "Change", "Interval", ""});
        for (const Comparison::Row& row : comparison.rows) {
            table.row({row.figure, row.before, row.now, row.change, row.interval, row.verdict});
        }
        tables += table.toString();
        for (const std::string& note : comparison.notes) tables += element("p", escape(note));
    }
    return tables.empty() ? "" : card("Differences", tables);
}

// --- host -----------------------------------------------------------------------------------

void addFact(Table& table, const std::string& name, const std::string& value) {
    if (!value.empty()) table.row({name, value});
}

std::string quoted(const std::string& word) {
    const bool plain = !word.empty() && word.find_first_not_of(
                                            "abcdefghijklmnopqrstuvwxyz"
                                            "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                            "0123456789-_=+./:,@%") == std::string::npos;
    if (plain) return word;
    std::string text = "'";
    for (const char c : word) text += c == '\'' ? "'\\''" : std::string(1, c);
    return text + "'";
}

// As a shell would take it.
std::string commandLine(const std::vector<std::string>& arguments) {
    std::string line = "echo-client";
    for (const std::string& word : arguments) line += " " + quoted(word);
    return line;
}

std::string host(const LoadReport& report) {
    const HostFacts& host = report.host;
    Table table("Environment of the run", {});
    addFact(table, "Began", report.began);
    addFact(table, "Kernel", host.kernel);
    addFact(table, "Machine", host.machine);
    addFact(table, "CPU", host.cpu);
    addFact(table, "CPUs", std::to_string(host.cpus));
    addFact(table, "Descriptors", grouped(host.descriptors));
    addFact(table, "somaxconn", host.somaxconn);
    addFact(table, "Governor", host.governor);
    addFact(table, "Selector", report.result.selector);
    addFact(table, "Seed", std::to_string(report.options.seed));
    addFact(table, "echo-client", nio::version);
    return card("Host", table.toString() + element("h3", "Command line") +
                            element("pre class=\"command\"",
                                    escape(commandLine(report.options.arguments))));
}

}  // namespace

std::string details(const LoadReport& report, const std::vector<EarlierRun>& others,
                    const std::vector<Comparison>& comparisons) {
    const std::string left = dispatchers(report.result) + errors(report.result.total);
    return differences(comparisons) + repeats(report) + percentiles(report, others) +
           element("div class=\"columns\"", element("div", left) + element("div", host(report))) +
           "\n";
}

}  // namespace load::page
