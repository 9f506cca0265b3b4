#include "echo_client/options/Requirement.h"

#include <charconv>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <string_view>

#include "common/Quantity.h"
#include "common/Units.h"
#include "echo_client/figures/LoadResult.h"

namespace load {

namespace {

using Histogram = LatencyHistogram LoadFigures::*;
using Count = double (*)(const LoadResult&);

// By what stands before the point.
const std::map<std::string_view, Histogram>& histograms() {
    static const std::map<std::string_view, Histogram> all{{"latency", &LoadFigures::latency},
                                                           {"service", &LoadFigures::service},
                                                           {"connect", &LoadFigures::connect},
                                                           {"lateness", &LoadFigures::lateness},
                                                           {"handshake", &LoadFigures::handshake}};
    return all;
}

const std::map<std::string_view, Count>& counts() {
    static const auto number = [](auto count) { return static_cast<double>(count); };
    static const std::map<std::string_view, Count> all{
        {"rate", [](const LoadResult& result) { return result.perSecond(); }},
        {"errors", [](const LoadResult& result) { return number(result.total.errors.total()); }},
        {"lost", [](const LoadResult& result) { return number(result.total.errors.lost); }},
        {"duplicated",
         [](const LoadResult& result) { return number(result.total.errors.duplicated); }},
        {"reordered",
         [](const LoadResult& result) { return number(result.total.errors.reordered); }},
        {"corrupted",
         [](const LoadResult& result) { return number(result.total.errors.corrupted); }},
        {"unsent", [](const LoadResult& result) { return number(result.total.unsent); }}};
    return all;
}

// "99.9" of "p99.9".
std::optional<double> percentOf(std::string_view name) {
    if (name.size() < 2 || name[0] != 'p') return std::nullopt;
    double percent = 0;
    const auto [end, error] = std::from_chars(name.data() + 1, name.data() + name.size(), percent,
                                              std::chars_format::fixed);
    const bool whole = error == std::errc() && end == name.data() + name.size();
    if (!whole || !(percent > 0) || percent > 100) return std::nullopt;
    return percent;
}

struct TimeFigure {
    Histogram histogram;
    std::string_view which;
};

std::optional<TimeFigure> timeFigure(std::string_view figure) {
    const std::size_t point = figure.find('.');
    const bool named =
        point != std::string_view::npos && histograms().contains(figure.substr(0, point));
    const std::string_view of = named ? figure.substr(0, point) : "latency";
    const std::string_view which = named ? figure.substr(point + 1) : figure;
    const bool known = which == "min" || which == "mean" || which == "max" || percentOf(which);
    if (!known) return std::nullopt;
    return TimeFigure{histograms().at(of), which};
}

using Latency = LatencyHistogram::Duration;

constexpr double never = std::numeric_limits<double>::infinity();

double nanosecondsOf(Latency time) {
    return time == LatencyHistogram::never ? never : static_cast<double>(time.count());
}

// Longer than the histogram's range: its exact value is unknown.
bool isBeyond(double nanoseconds) {
    return nanoseconds == nanosecondsOf(LatencyHistogram::beyond);
}

// So many more as `endless` took longer than any time.
double valueIn(const LatencyHistogram& histogram, std::uint64_t endless, std::string_view which) {
    if (histogram.count() == 0) return std::numeric_limits<double>::quiet_NaN();
    if (which == "min") return nanosecondsOf(histogram.min());
    if (which == "max") return endless > 0 ? never : nanosecondsOf(histogram.max());
    if (which == "mean") return endless > 0 ? never : nanosecondsOf(histogram.mean());
    return nanosecondsOf(histogram.percentile(*percentOf(which), endless));
}

bool waitsForAnswers(Histogram histogram) {
    return histogram == &LoadFigures::latency || histogram == &LoadFigures::service;
}

std::string trimmed(std::string_view text) {
    const std::size_t first = text.find_first_not_of(' ');
    if (first == std::string_view::npos) return {};
    return std::string(text.substr(first, text.find_last_not_of(' ') - first + 1));
}

constexpr std::string_view earlier = "before";

// 1.1, of "before+10%".
nio::Result<double> parsePartOfBefore(const std::string& text) {
    const std::string_view change = std::string_view(text).substr(earlier.size());
    if (change.empty()) return 1.0;
    const bool hasSign = change.front() == '+' || change.front() == '-';
    if (hasSign && change.size() > 2 && change.back() == '%') {
        const auto percent = apps::parseNumber(std::string(change.substr(1, change.size() - 2)));
        const double sign = change.front() == '+' ? 1 : -1;
        if (percent && 100 + sign * percent.value() > 0) return 1 + sign * percent.value() / 100;
    }
    return nio::Error(std::errc::invalid_argument,
                      "'" + text + "' is not before, before+10% or before-10%");
}

}  // namespace

nio::Result<Requirement> Requirement::parse(const std::string& text) {
    const auto refuse = [&text](const std::string& why) {
        return nio::Error(std::errc::invalid_argument, "'" + text + "': " + why);
    };
    const std::size_t sign = text.find_first_of("<=>");
    if (sign == std::string::npos) {
        return refuse("a requirement is FIGURE, comparison and bound, such as p99<2ms");
    }
    const bool two = (text[sign] != '=') && text.substr(sign + 1, 1) == "=";
    Requirement made;
    made.text_ = text;
    made.figure_ = trimmed(std::string_view(text).substr(0, sign));
    made.comparison_ = text[sign] == '=' ? Comparison::equal
                       : text[sign] == '<'
                           ? (two ? Comparison::lessOrEqual : Comparison::less)
                           : (two ? Comparison::greaterOrEqual : Comparison::greater);
    made.isTime_ = timeFigure(made.figure_).has_value();
    if (!made.isTime_ && !counts().contains(made.figure_)) {
        return refuse(
            "'" + made.figure_ +
            "' is an unknown metric; use p50, p99.9, min, mean, max (also with service., connect., "
            "lateness., handshake.), rate, errors, lost, duplicated, reordered, corrupted, unsent");
    }
    const auto bound =
        made.parseBound(trimmed(std::string_view(text).substr(sign + (two ? 2 : 1))));
    if (!bound) return refuse(bound.error().context());
    made.bound_ = bound.value();
    return made;
}

// Of what is relative: 0.
nio::Result<double> Requirement::parseBound(const std::string& text) {
    if (text.starts_with(earlier)) {
        const auto part = parsePartOfBefore(text);
        if (!part) return part.error();
        beforeTimes_ = part.value();
        return 0.0;
    }
    if (!isTime_) {
        const bool hasUnit = figure_ == "rate" && text.ends_with("/s");
        return apps::parseNumber(hasUnit ? text.substr(0, text.size() - 2) : text);
    }
    const auto duration = apps::parseDuration(text);
    if (!duration) return duration.error();
    return static_cast<double>(duration.value().count());
}

Requirement Requirement::against(double before) const {
    Requirement made = *this;
    made.before_ = before;
    made.bound_ = beforeTimes_ * before;
    return made;
}

bool Requirement::isUpperBound() const {
    return comparison_ == Comparison::less || comparison_ == Comparison::lessOrEqual;
}

bool Requirement::needsOpenLoop() const {
    return figure_.starts_with("service.") || figure_.starts_with("lateness.");
}

bool Requirement::needsTls() const {
    return figure_.starts_with("handshake.");
}

double Requirement::valueIn(const LoadResult& result) const {
    if (const auto figure = timeFigure(figure_)) {
        const LoadFigures& total = result.total;
        const std::uint64_t endless = waitsForAnswers(figure->histogram) ? total.unanswered : 0;
        return load::valueIn(total.*figure->histogram, endless, figure->which);
    }
    return counts().at(figure_)(result);
}

bool Requirement::isMetBy(double value) const {
    if (isTime_ && isBeyond(value)) return isMetBeyondTheRange();
    switch (comparison_) {
        case Comparison::less: return value < bound_;
        case Comparison::lessOrEqual: return value <= bound_;
        case Comparison::equal: return value == bound_;
        case Comparison::greaterOrEqual: return value >= bound_;
        case Comparison::greater: return value > bound_;
    }
    return false;
}

// What lies beyond the range is longer than that, and that is all that can be shown of it.
bool Requirement::isMetBeyondTheRange() const {
    const bool isLowerBound =
        comparison_ == Comparison::greater || comparison_ == Comparison::greaterOrEqual;
    return isLowerBound && bound_ <= nanosecondsOf(LatencyHistogram::highest);
}

std::string Requirement::show(double value) const {
    if (isTime_ && isBeyond(value)) return apps::withUnit(LatencyHistogram::beyond);
    if (isTime_) return apps::withUnit(std::chrono::nanoseconds(std::llround(value)));
    return apps::fixed(value, 0) + (figure_ == "rate" ? "/s" : "");
}

std::string Requirement::describe(double value) const {
    const std::string reference = isRelative() ? " (before: " + show(before_) + ")" : "";
    if (std::isnan(value)) return figure_ + " = none" + reference;
    if (std::isinf(value)) return figure_ + " = never" + reference;
    if (isTime_ && isBeyond(value)) return figure_ + " " + show(value) + reference;
    return figure_ + " = " + show(value) + reference;
}

std::string Requirement::describe(const LoadResult& result) const {
    const double value = valueIn(result);
    return describe(value) + (std::isinf(value)
                                  ? " (" + std::to_string(result.total.unanswered) + " unanswered)"
                                  : "");
}

}  // namespace load
