#include "echo_client/report/EarlierRun.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include <nlohmann/json.hpp>

#include "common/Printable.h"
#include "common/ReadFile.h"
#include "common/Units.h"
#include "echo_client/report/Words.h"

namespace load {

namespace {

using RunJson = nlohmann::json;

constexpr std::size_t mostBytes = 64 * 1024 * 1024;
constexpr double longest = 1e18;  // nanoseconds, and what else is a number here
constexpr double longestMicros = longest / 1000;
constexpr std::uint64_t mostTimes = std::uint64_t{1} << 53;

[[noreturn]] void refuse(const std::string& why) {
    throw std::invalid_argument("not a result of echo-client: " + why);
}

const RunJson& find(const RunJson& object, const char* name) {
    if (!object.is_object()) refuse("an object is missing");
    const auto found = object.find(name);
    if (found == object.end()) refuse(std::string("\"") + name + "\" is missing");
    return *found;
}

const RunJson& findArray(const RunJson& object, const char* name) {
    const RunJson& array = find(object, name);
    if (!array.is_array()) refuse(std::string("\"") + name + "\" is no array");
    return array;
}

double number(const RunJson& object, const char* name, double most = longest) {
    const RunJson& value = find(object, name);
    if (!value.is_number()) refuse(std::string("\"") + name + "\" is not a number");
    const auto number = value.get<double>();
    if (!(number >= 0 && number <= most)) refuse(std::string("\"") + name + "\" is out of range");
    return number;
}

double latency(const RunJson& object, const char* name) {
    const RunJson& value = find(object, name);
    if (value == apps::withUnit(LatencyHistogram::beyond))
        return apps::microsOf(LatencyHistogram::beyond);
    return value.is_null() ? Point::none : number(object, name, longestMicros);
}

Point pointOf(const RunJson& from) {
    Point point;
    point.at = number(from, "at");
    point.perSecond = number(from, "perSecond");
    point.megabytesPerSecond = number(from, "megabytesPerSecond");
    point.p50 = latency(from, "p50");
    point.p90 = latency(from, "p90");
    point.p99 = latency(from, "p99");
    point.p999 = latency(from, "p99.9");
    point.max = latency(from, "max");
    point.errors = static_cast<std::size_t>(number(from, "errors"));
    point.down = static_cast<std::size_t>(number(from, "connectionsDown"));
    if (find(from, "phase") == nameOf(LoadPhase::measuring)) point.phase = LoadPhase::measuring;
    return point;
}

std::vector<Point> seriesOf(const RunJson& array) {
    std::vector<Point> series;
    for (const RunJson& from : array) series.push_back(pointOf(from));
    return series;
}

void recordBucket(LatencyHistogram& histogram, const RunJson& pair) {
    const bool wellFormed = pair.is_array() && pair.size() == 2 && pair[0].is_number_unsigned() &&
                            pair[1].is_number_unsigned();
    if (!wellFormed) refuse("a bucket is not a pair of whole numbers");
    const auto value = pair[0].get<std::uint64_t>();
    const auto times = pair[1].get<std::uint64_t>();
    if (static_cast<double>(value) > longest || times > mostTimes) refuse("a bucket is too large");
    if (times > 0) histogram.recordTimes(LatencyHistogram::Duration(value), times);
}

LatencyHistogram histogramOf(const RunJson& from) {
    if (find(from, "unit") != "ns") refuse("a histogram's unit is not \"ns\"");
    LatencyHistogram histogram;
    for (const RunJson& pair : findArray(from, "buckets")) recordBucket(histogram, pair);
    return histogram;
}

constexpr std::size_t mostRuns = 1'000;  // of --repeat
constexpr const char* timeNames[] = {"min", "mean",  "p50",    "p90", "p95",
                                     "p99", "p99.9", "p99.99", "max"};

std::map<std::string, double> readTimes(const RunJson& from) {
    std::map<std::string, double> times;
    for (const char* name : timeNames) times[name] = latency(from, name);
    return times;
}

// Some have a count for each reason.
double addUp(const RunJson& errors) {
    double sum = 0;
    for (const auto& [name, value] : errors.items()) {
        if (name == "wrongAnswer") continue;  // the sum of others
        if (!value.is_object()) sum += number(errors, name.c_str());
        if (!value.is_object()) continue;
        for (const auto& reason : value.items()) sum += number(value, reason.key().c_str());
    }
    return sum;
}

std::optional<double> readCpu(const RunJson& from) {
    const bool isKnown = from.is_object() && !find(from, "cpuMicrosecondsPerEcho").is_null();
    if (!isKnown) return std::nullopt;
    return number(from, "cpuMicrosecondsPerEcho", longestMicros);
}

// What a report has of its only run, and of each one of --repeat.
EarlierRun::Run readRun(const RunJson& from) {
    EarlierRun::Run run;
    run.perSecond = number(from, "echoesPerSecond");
    run.times = readTimes(find(from, "latencyMicroseconds"));
    run.echoes = number(from, "echoes");
    run.unanswered = number(from, "unanswered");
    run.unsent = number(from, "unsent");
    const RunJson& errors = find(from, "errors");
    run.errors = errors.is_object() ? addUp(errors) : number(from, "errors");
    run.stoodStill = number(from, "stoodStillSeconds");
    // Older versions do not tell.
    run.wasLate = run.stoodStill > 0 || (from.contains("late") && from["late"] == true);
    return run;
}

// Empty: not repeated, or by a version of echo-client that told less of each run.
std::vector<EarlierRun::Run> readRepeats(const RunJson& root) {
    if (find(root, "repeats").is_null()) return {};
    const RunJson& all = findArray(find(root, "repeats"), "runs");
    if (all.empty() || all.size() > mostRuns) refuse("\"runs\" are none, or too many");
    std::vector<EarlierRun::Run> runs;
    for (const RunJson& from : all) {
        if (from.is_object() && !from.contains("late")) return {};
        runs.push_back(readRun(from));
        runs.back().cpuMicros = readCpu(from);
    }
    return runs;
}

std::vector<EarlierRun::Run> readRuns(const RunJson& root) {
    auto runs = readRepeats(root);
    if (!runs.empty()) return runs;
    runs.push_back(readRun(root));
    runs.back().cpuMicros = readCpu(find(root, "serverProcess"));
    return runs;
}

std::string textOf(const RunJson& value) {
    if (value.is_null()) return "none";
    if (value.is_structured()) refuse("a text or number is missing");
    return apps::printable(value.is_string() ? value.get<std::string>() : value.dump());
}

std::string turnsOf(const RunJson& turns) {
    if (turns.is_null()) return "none";
    std::string text;
    for (const RunJson& turn : turns) {
        text += (text.empty() ? "'" : ", '") + textOf(find(turn, "message")) + "' expecting '" +
                textOf(find(turn, "expect")) + "' with weight " + textOf(find(turn, "weight"));
    }
    return text;
}

std::string besideOf(const RunJson& beside) {
    if (beside.is_null()) return "none";
    return textOf(find(beside, "misbehaviour")) + ":" +
           textOf(find(find(beside, "connections"), "asked"));
}

std::map<std::string, std::string> readLoad(const RunJson& root) {
    std::map<std::string, std::string> load;
    for (const char* name : {"framing", "loop", "mode", "pipeline", "size", "tls"}) {
        load[name] = textOf(find(root, name));
    }
    load["send"] = turnsOf(find(root, "send"));
    load["connections"] = textOf(find(find(root, "connections"), "asked"));
    const RunJson& rate = find(root, "rate");
    const bool hasStages = !find(rate, "stages").is_null();
    load["beside"] = root.contains("beside") ? besideOf(root["beside"]) : "none";
    load["rate"] = textOf(find(rate, hasStages ? "stages" : "offered"));
    load["arrivals"] = textOf(find(rate, "arrivals"));
    return load;
}

int exitCodeOf(const RunJson& root) {
    return static_cast<int>(number(root, "exitCode", 255));
}

// As LatencyHistogram::percentile() counts.
bool isPastAnswers(const EarlierRun::Run& run, double percent) {
    return std::ceil(percent / 100 * (run.echoes + run.unanswered) - 1e-6) > run.echoes;
}

nio::Error invalid(const std::string& name, const std::string& why) {
    return {std::errc::invalid_argument, apps::printable(name + ": " + why)};
}

}  // namespace

nio::Result<EarlierRun> EarlierRun::parse(const std::string& name, const std::string& text) try {
    const RunJson root = RunJson::parse(text, nullptr, false);
    if (root.is_discarded()) return invalid(name, "not JSON");
    if (!root.is_object()) refuse("not an object");
    if (find(root, "schema") != outputSchema) refuse("\"schema\" is not 2");
    return EarlierRun{apps::printable(name),
                      exitCodeOf(root),
                      readLoad(root),
                      readRuns(root),
                      seriesOf(findArray(root, "series")),
                      histogramOf(find(root, "histogram"))};
} catch (const std::invalid_argument& refused) {
    return invalid(name, refused.what());
}

nio::Result<EarlierRun> EarlierRun::read(const std::string& path) {
    const auto text = apps::readFile(path, mostBytes);
    if (text) return parse(path, text.value());
    const std::error_code code = text.error().code();
    return nio::Error(code, path + ": " + code.message());
}

std::optional<double> EarlierRun::Run::valueOf(const std::string& figure) const {
    if (figure == "rate") return perSecond;
    if (figure == "errors") return errors;
    if (figure == "unsent") return unsent;
    const std::string key = figure.starts_with("latency.") ? figure.substr(8) : figure;
    const auto found = times.find(key);
    if (found == times.end()) return std::nullopt;
    const double micros = found->second;
    if (std::isnan(micros)) return micros;
    if (unanswered > 0 && key != "min") {
        const bool isPercentile = key[0] == 'p';
        if (isPercentile && !isPastAnswers(*this, std::stod(key.substr(1)))) return std::nullopt;
        return std::numeric_limits<double>::infinity();
    }
    if (std::isinf(micros)) return static_cast<double>(LatencyHistogram::beyond.count());
    return std::round(micros * 1000);
}

std::optional<double> EarlierRun::valueOf(const Requirement& requirement) const {
    std::vector<double> values;
    for (const Run& run : runs) {
        const auto value = run.valueOf(requirement.figure());
        if (!value || std::isnan(*value)) return value;
        values.push_back(*value);
    }
    std::sort(values.begin(), values.end());
    if (requirement.isCount()) return values.back();
    return values[requirement.isUpperBound() ? values.size() / 2 : (values.size() - 1) / 2];
}

}  // namespace load
