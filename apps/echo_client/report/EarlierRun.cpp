#include "echo_client/report/EarlierRun.h"

#include <stdexcept>

#include <nlohmann/json.hpp>

#include "common/ReadFile.h"
#include "echo_client/figures/Units.h"
#include "echo_client/report/Words.h"

namespace load {

namespace {

using RunJson = nlohmann::json;

constexpr std::size_t mostBytes = 64 * 1024 * 1024;
constexpr double longest = 1e18;  // nanoseconds, and what else is a number here
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

double number(const RunJson& object, const char* name) {
    const RunJson& value = find(object, name);
    if (!value.is_number()) refuse(std::string("\"") + name + "\" is not a number");
    const auto number = value.get<double>();
    if (!(number >= 0 && number <= longest))
        refuse(std::string("\"") + name + "\" is out of range");
    return number;
}

double latency(const RunJson& object, const char* name) {
    const RunJson& value = find(object, name);
    if (value == withUnit(LatencyHistogram::beyond)) return microsOf(LatencyHistogram::beyond);
    return value.is_null() ? Point::none : number(object, name);
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

nio::Error invalid(const std::string& name, const std::string& why) {
    return {std::errc::invalid_argument, name + ": " + why};
}

}  // namespace

nio::Result<EarlierRun> EarlierRun::parse(const std::string& name, const std::string& text) try {
    const RunJson root = RunJson::parse(text, nullptr, false);
    if (root.is_discarded()) return invalid(name, "not JSON");
    if (!root.is_object()) refuse("not an object");
    if (find(root, "schema") != outputSchema) refuse("\"schema\" is not 2");
    return EarlierRun{name, seriesOf(findArray(root, "series")),
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

}  // namespace load
