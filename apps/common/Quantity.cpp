#include "common/Quantity.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <optional>
#include <span>
#include <string_view>

namespace apps {

namespace {

constexpr double leastPerSecond = 1e-3;
constexpr double mostPerSecond = 1e9;
constexpr double mostSeconds = 36'500.0 * 86'400;
constexpr double mostCounted = 0x1.0p53;  // above, a double skips whole numbers
constexpr double mostNumber = 1e18;

struct Unit {
    std::string_view name;
    double factor;
};

constexpr Unit timeUnits[] = {{"", 1},   {"s", 1},    {"ms", 1e-3}, {"us", 1e-6},  {"µs", 1e-6},
                              {"m", 60}, {"min", 60}, {"h", 3600},  {"d", 86'400}, {"ns", 1e-9}};
constexpr Unit decimalUnits[] = {{"", 1}, {"k", 1e3}, {"M", 1e6}, {"G", 1e9}};
constexpr Unit countUnits[] = {{"", 1},       {"k", 1e3},        {"M", 1e6},           {"G", 1e9},
                               {"Ki", 1'024}, {"Mi", 1'048'576}, {"Gi", 1'073'741'824}};

nio::Error refuse(const std::string& text, const std::string& why) {
    return {std::errc::invalid_argument, "'" + text + "' is not a " + why};
}
nio::Error outOfRange(const std::string& text, const std::string& range) {
    return {std::errc::invalid_argument, "'" + text + "' is out of range: " + range};
}

// A valid quantity above the parser's maximum. An option reports its own range instead.
nio::Error tooLarge(const std::string& text, const std::string& why) {
    return {std::errc::result_out_of_range, refuse(text, why).context()};
}

// Malformed, as opposed to too large.
template <class T>
bool isMistake(const nio::Result<T>& result) {
    return !result && !result.error().is(std::errc::result_out_of_range);
}

// A number and one of the units. Absent for anything else, "nan" and "-1" too.
std::optional<double> read(std::string_view text, std::span<const Unit> units) {
    if (text.empty() || ((text[0] < '0' || text[0] > '9') && text[0] != '.')) return std::nullopt;
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc()) return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    for (const Unit& unit : units) {
        if (unit.name == text) return value * unit.factor;
    }
    return std::nullopt;
}

// Digit by digit: as a double 2^53 + 1 is 2^53.
bool isAbove(std::string_view text, double limit) {
    std::uint64_t value = 0;
    const char* end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, value);
    return error == std::errc() && rest == end && value > static_cast<std::uint64_t>(limit);
}

std::string_view withoutPerSecond(std::string_view text) {
    return text.ends_with("/s") ? text.substr(0, text.size() - 2) : text;
}

std::string plain(double value) {
    char text[64];
    const int length = std::snprintf(text, sizeof text, "%.12g", value);
    return {text, static_cast<std::size_t>(length)};
}

}  // namespace

nio::Result<std::chrono::nanoseconds> parseDuration(const std::string& text) {
    const auto seconds = read(text, timeUnits);
    if (!seconds) return refuse(text, "time, such as 500ms, 1.5s or 2m");
    if (*seconds > mostSeconds) return tooLarge(text, "time up to 100 years");
    return nanosecondsOf(*seconds);
}

std::chrono::nanoseconds nanosecondsOf(double seconds) {
    const long long rounded = std::llround(seconds * 1e9);
    return std::chrono::nanoseconds(seconds > 0 && rounded == 0 ? 1 : rounded);
}

nio::Result<std::chrono::nanoseconds> parseDurationWithin(std::chrono::nanoseconds low,
                                                          std::chrono::nanoseconds high,
                                                          const std::string& text) {
    auto time = parseDuration(text);
    if (isMistake(time) || (time && time.value() >= low && time.value() <= high)) return time;
    return outOfRange(text, writeDuration(low) + " to " + writeDuration(high));
}

nio::Result<double> parseRate(const std::string& text) {
    const auto rate = read(withoutPerSecond(text), decimalUnits);
    if (!rate) return refuse(text, "rate, such as 500, 5k or 5k/s");
    if (*rate < leastPerSecond || *rate > mostPerSecond) {
        return outOfRange(text, "0.001 to 1000000000 per second");
    }
    return *rate;
}

nio::Result<std::uint64_t> parseCount(const std::string& text) {
    const auto count = read(text, countUnits);
    // 2.3k is not quite 2,300 as a product of doubles.
    const double whole = count ? std::round(*count) : 0;
    if (!count || std::abs(*count - whole) > std::min(1e-12 * whole, 0.1)) {
        return refuse(text,
                      "whole number, such as 64, 4k or 4Ki; units are k, M, G, Ki, Mi and Gi");
    }
    if (whole > mostCounted || isAbove(text, mostCounted)) {
        return tooLarge(text, "number up to 2^53");
    }
    return static_cast<std::uint64_t>(whole);
}

nio::Result<std::uint64_t> parseCountWithin(std::uint64_t low, std::uint64_t high,
                                            const std::string& text) {
    auto count = parseCount(text);
    if (isMistake(count) || (count && count.value() >= low && count.value() <= high)) return count;
    return outOfRange(text, std::to_string(low) + " to " + std::to_string(high));
}

nio::Result<double> parseNumber(const std::string& text) {
    const auto number = read(text, decimalUnits);
    if (!number || *number > mostNumber) return refuse(text, "number, such as 0, 12 or 5k");
    return *number;
}

nio::Result<double> parseNumberWithin(double low, double high, const std::string& text) {
    auto number = parseNumber(text);
    if (!number || (number.value() >= low && number.value() <= high)) return number;
    return outOfRange(text, writeNumber(low) + " to " + writeNumber(high));
}

std::string writeDuration(std::chrono::nanoseconds time) {
    const auto nanoseconds = time.count();
    if (nanoseconds % 1'000 != 0) return std::to_string(nanoseconds) + "ns";
    if (nanoseconds % 1'000'000 != 0) return std::to_string(nanoseconds / 1'000) + "us";
    if (nanoseconds % 1'000'000'000 != 0) return std::to_string(nanoseconds / 1'000'000) + "ms";
    return std::to_string(nanoseconds / 1'000'000'000) + "s";
}

std::string writeNumber(double value) {
    if (value >= 1e9) return plain(value / 1e9) + "G";
    if (value >= 1e6) return plain(value / 1e6) + "M";
    return value >= 1e3 ? plain(value / 1e3) + "k" : plain(value);
}

}  // namespace apps
