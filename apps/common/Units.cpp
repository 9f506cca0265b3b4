#include "common/Units.h"

#include <cmath>
#include <cstdio>
#include <limits>

#include <nlohmann/json.hpp>

#include "common/LatencyHistogram.h"

namespace apps {

std::string fixed(double value, int digits) {
    char text[400];  // the largest double has 309 digits
    const int length = std::snprintf(text, sizeof text, "%.*f", digits, value);
    return {text, static_cast<std::size_t>(length)};
}

std::string withUnit(std::chrono::nanoseconds time) {
    if (time == LatencyHistogram::beyond) {
        constexpr std::chrono::duration<double> highest = LatencyHistogram::highest;
        return "> " + fixed(highest.count(), 0) + " s";
    }
    constexpr const char* units[] = {" ns", " µs", " ms", " s"};
    auto value = static_cast<double>(time.count());
    if (value < 1000) return fixed(value, 0) + units[0];
    std::size_t unit = 0;
    while (value >= 999.5 && unit < 3) {
        value /= 1000;
        ++unit;
    }
    const int digits = value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
    return fixed(value, digits) + units[unit];
}

double microsOf(std::chrono::nanoseconds time) {
    return time == LatencyHistogram::beyond ? std::numeric_limits<double>::infinity()
                                            : static_cast<double>(time.count()) / 1000;
}

std::string microsWithUnit(double micros) {
    if (micros == std::numeric_limits<double>::infinity())
        return withUnit(LatencyHistogram::beyond);
    return withUnit(std::chrono::nanoseconds(std::llround(micros * 1000)));
}

nlohmann::ordered_json jsonTime(double micros) {
    if (std::isnan(micros)) return nullptr;
    if (std::isinf(micros)) return microsWithUnit(micros);
    return micros;
}

std::string counted(std::size_t count, const std::string& noun) {
    return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

}  // namespace apps
