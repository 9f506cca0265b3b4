#include "echo_client/report/Comparison.h"

#include <algorithm>
#include <cmath>

#include "common/Units.h"
#include "echo_client/report/Words.h"
#include "echo_client/verdict/Repeats.h"

namespace load {

namespace {

using Run = EarlierRun::Run;

std::string rateText(double perSecond) {
    return apps::fixed(perSecond, perSecond < 100 ? 1 : 0) + "/s";
}

std::string percentText(double part) {
    return (part < 0 ? "" : "+") + apps::fixed(100 * part, part < 10 ? 1 : 0) + " %";
}

// In the order of the rows. A time is named as in the file.
const std::string rateFigure = "rate";
const std::string cpuFigure = "server CPU";
const std::vector<std::string> comparedFigures{rateFigure, "p50", "p90",    "p99",
                                               "p99.9",    "max", cpuFigure};

// Not a number: the run has none.
double valueIn(const Run& run, const std::string& figure) {
    if (figure == rateFigure) return run.perSecond;
    if (figure == cpuFigure) return run.cpuMicros.value_or(std::nan(""));
    return run.times.at(figure);
}

// Of the runs that have it.
std::vector<double> valuesOf(const std::string& figure, const EarlierRun& run) {
    std::vector<double> values;
    for (const Run& one : run.runs) {
        const double value = valueIn(one, figure);
        if (!std::isnan(value)) values.push_back(value);
    }
    return values;
}

// Both medians are within their intervals.
double confidenceOf(const MedianEstimate& before, const MedianEstimate& now) {
    return before.confidence * now.confidence;
}

std::string verdictOn(double low, double high, bool isMoreBetter) {
    if (low <= 0 && high >= 0) return "within noise";
    return (low > 0) == isMoreBetter ? "better" : "worse";
}

Comparison::Row rowOf(const std::string& figure, const EarlierRun& before, const EarlierRun& now) {
    const auto ofBefore = valuesOf(figure, before);
    const auto ofNow = valuesOf(figure, now);
    const auto medianOf = [&figure](const std::vector<double>& values) {
        if (values.empty()) return std::string("none");
        const double median = MedianEstimate::of(values).median;
        return figure == rateFigure ? rateText(median) : apps::microsWithUnit(median);
    };
    Comparison::Row row{figure, medianOf(ofBefore), medianOf(ofNow)};
    if (ofBefore.empty() || ofNow.empty()) return row;
    const auto one = MedianEstimate::of(ofBefore);
    const auto other = MedianEstimate::of(ofNow);
    const auto isFinite = [](const MedianEstimate& estimate) {
        return estimate.low > 0 && std::isfinite(estimate.high);
    };
    if (!isFinite(one) || !isFinite(other)) return row;
    row.change = percentText(other.median / one.median - 1);
    if (confidenceOf(one, other) < Comparison::leastConfidence) return row;
    const double low = other.low / one.high - 1;
    const double high = other.high / one.low - 1;
    row.interval = percentText(low) + " to " + percentText(high);
    row.verdict = verdictOn(low, high, figure == rateFigure);
    return row;
}

// Of a run, in the mean: a median would hide those of one run.
Comparison::Row errorsOf(const EarlierRun& before, const EarlierRun& now) {
    const auto mean = [](const EarlierRun& run) {
        double errors = 0;
        for (const Run& one : run.runs) errors += one.errors;
        errors /= static_cast<double>(run.runs.size());
        return apps::fixed(errors, errors == std::floor(errors) ? 0 : 1);
    };
    return {"errors", mean(before), mean(now)};
}

MedianEstimate rateOf(const EarlierRun& run) {
    return MedianEstimate::of(valuesOf(rateFigure, run));
}

std::string withRuns(const EarlierRun& run) {
    return run.name + " (" + counted(run.runs.size(), "run") + ")";
}

std::string lack(const EarlierRun& before, const EarlierRun& now) {
    if (confidenceOf(rateOf(before), rateOf(now)) >= Comparison::leastConfidence) return "";
    const EarlierRun& fewest = before.runs.size() < now.runs.size() ? before : now;
    return "differences have no confidence: " + fewest.name + " has " +
           counted(fewest.runs.size(), "run") + "; --repeat 6 or more on both sides gives it";
}

std::string otherLoad(const EarlierRun& before, const EarlierRun& now) {
    std::string text;
    for (const auto& [name, value] : before.load) {
        const auto found = now.load.find(name);
        if (found == now.load.end() || found->second == value) continue;
        text += (text.empty() ? "not the same load: " : ", ") + name + " " + value + " and " +
                found->second;
    }
    return text;
}

std::string late(const EarlierRun& run) {
    const bool wasLate =
        std::any_of(run.runs.begin(), run.runs.end(), [](const Run& one) { return one.wasLate; });
    return wasLate ? "the generator of " + run.name + " was late, which its times include" : "";
}

std::string lacks(const EarlierRun& run, const Requirement& requirement) {
    const bool isShort = std::any_of(run.runs.begin(), run.runs.end(),
                                     [](const Run& one) { return one.unanswered > 0; });
    return "--require " + requirement.toString() + ": " + run.name + " has no " +
           requirement.figure() +
           (isShort && requirement.isTime() ? " that counts its unanswered messages" : "");
}

// As Verdict::ofAll() says, by what the file tells.
void addTroubleOf(const EarlierRun& run, Verdict& verdict) {
    const std::string ended =
        run.name + ": its run ended with exit code " + std::to_string(run.exitCode) + ": ";
    if (run.exitCode == exitWrongAnswer) verdict.add(exitWrongAnswer, ended + "wrong answers");
    if (run.exitCode == exitIo) verdict.add(exitIo, ended + "connect or I/O errors");
}

}  // namespace

Comparison Comparison::of(const EarlierRun& before, const EarlierRun& now) {
    Comparison made;
    made.heading = withRuns(before) + " and " + withRuns(now);
    for (const std::string& figure : comparedFigures) {
        Row row = rowOf(figure, before, now);
        const bool isKnown = row.before != "none" || row.now != "none";
        if (isKnown) made.rows.push_back(std::move(row));
    }
    made.rows.push_back(errorsOf(before, now));
    if (lack(before, now).empty()) {
        made.heading += ", with " +
                        apps::fixed(100 * confidenceOf(rateOf(before), rateOf(now)), 0) +
                        " % confidence";
    }
    for (std::string note : {lack(before, now), otherLoad(before, now), late(before), late(now)}) {
        if (!note.empty()) made.notes.push_back(std::move(note));
    }
    return made;
}

std::string Comparison::toText() const {
    std::string text = row("compared", heading);
    const auto line = [](const Row& each) {
        return row(each.figure, padded(each.before, 11) + padded(each.now, 11) +
                                    padded(each.change, 10) + padded(each.interval, 22) +
                                    each.verdict);
    };
    text += line({"", "before", "now", "change", "", ""});
    for (const Row& row : rows) text += line(row);
    for (const std::string& note : notes) text += row("note", note);
    return text;
}

std::vector<Comparison> compared(const LoadReport& report, const std::vector<EarlierRun>& earlier) {
    if (earlier.empty()) return {};
    const auto now = EarlierRun::parse("this run", toJson(report));
    if (!now) return {};
    std::vector<Comparison> all;
    for (const EarlierRun& before : earlier) all.push_back(Comparison::of(before, now.value()));
    return all;
}

std::optional<std::string> settleRequirements(std::vector<Requirement>& requirements,
                                              const std::vector<EarlierRun>& earlier) {
    for (Requirement& requirement : requirements) {
        if (!requirement.isRelative()) continue;
        const auto value = earlier.front().valueOf(requirement);
        if (!value || !std::isfinite(*value)) return lacks(earlier.front(), requirement);
        requirement = requirement.against(*value);
    }
    return std::nullopt;
}

nio::Result<Verdict> judge(const LoadOptions& options, const EarlierRun& run) {
    std::vector<Verdict::Check> checks;
    for (const Requirement& requirement : options.requirements) {
        std::vector<Verdict::Found> found;
        for (const Run& one : run.runs) {
            const auto value = one.valueOf(requirement.figure());
            if (!value) {
                return nio::Error(std::errc::invalid_argument, lacks(run, requirement));
            }
            const bool blind = requirement.isTime() && one.unsent > 0;
            found.push_back(
                {*value,
                 requirement.describe(*value) + (blind ? ", but not all messages were sent" : ""),
                 requirement.isMetBy(*value) && !blind,
                 requirement.isCount() ? one.stoodStill > 0 : one.wasLate});
        }
        checks.push_back(Verdict::judge(requirement, found));
    }
    Verdict verdict = Verdict::ofChecks(options, std::move(checks), "that of " + run.name);
    addTroubleOf(run, verdict);
    return verdict;
}

}  // namespace load
