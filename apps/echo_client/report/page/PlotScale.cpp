#include "echo_client/report/page/PlotScale.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <utility>

namespace load::page {

namespace {

constexpr double largest = 1e18;
constexpr double smallestPositive = 1e-12;
constexpr double wantedSteps = 5;
constexpr double fewSteps = 4;
constexpr int mostPowers = 9;
// 3 * 0.1 is not quite 0.3.
constexpr double tolerance = 1e-9;

double sane(double value) {
    return std::isfinite(value) ? std::clamp(value, -largest, largest) : 0;
}

double powerOfTen(int exponent) {
    return std::pow(10, exponent);
}

// The least of 1, 2, 5 and 10 times a power of ten that is not below.
double niceAbove(double value) {
    const double power = powerOfTen(static_cast<int>(std::floor(std::log10(value))));
    for (const double factor : {1.0, 2.0, 5.0}) {
        if (factor * power >= value * (1 - tolerance)) return factor * power;
    }
    return 10 * power;
}

// The largest that is not above.
double niceBelow(double value) {
    const double power = powerOfTen(static_cast<int>(std::floor(std::log10(value) + tolerance)));
    for (const double factor : {5.0, 2.0}) {
        if (factor * power <= value * (1 + tolerance)) return factor * power;
    }
    return power;
}

// Two ends with room between them.
std::pair<double, double> linearEnds(double low, double high) {
    low = sane(low);
    high = sane(high);
    if (low > high) std::swap(low, high);
    const double room = std::max(std::abs(low), std::abs(high)) * tolerance;
    if (high - low > room) return {low, high};
    if (high == 0) return {0, 1};
    return {low - std::abs(low) / 2, high + std::abs(high) / 2};
}

std::pair<double, double> logarithmicEnds(double low, double high) {
    low = std::max(sane(low), smallestPositive);
    high = std::max(sane(high), smallestPositive);
    if (low > high) std::swap(low, high);
    if (high > low * 1.5) return {low, high};
    return {low / 2, high * 2};
}

std::vector<double> multiples(double step, double low, double high) {
    std::vector<double> all;
    const auto first = std::llround(std::ceil(low / step - tolerance));
    const auto last = std::llround(std::floor(high / step + tolerance));
    for (auto i = first; i <= last; ++i) all.push_back(static_cast<double>(i) * step);
    return all;
}

// The factors times powers of ten; of many powers some are left out.
std::vector<double> powers(double low, double high, std::initializer_list<double> factors) {
    const int stride = 1 + static_cast<int>(std::log10(high / low)) / mostPowers;
    std::vector<double> all;
    for (int i = static_cast<int>(std::floor(std::log10(low))); powerOfTen(i) <= high * 1.000001;
         i += stride) {
        for (const double factor : factors) {
            const double value = factor * powerOfTen(i);
            if (value >= low * 0.999999 && value <= high * 1.000001) all.push_back(value);
        }
    }
    return all;
}

// As many as have room for their labels; where the range is too narrow for 1, 2 and 5, as on a
// linear axis.
std::vector<double> logarithmicTicks(double low, double high) {
    const bool fewDecades = std::log10(high / low) <= 2.4;
    auto ticks = fewDecades ? powers(low, high, {1, 2, 5}) : powers(low, high, {1});
    if (ticks.size() < 3 && !fewDecades) ticks = powers(low, high, {1, 3});
    return ticks.size() > 2 ? ticks : multiples(niceAbove((high - low) / fewSteps), low, high);
}

}  // namespace

PlotScale PlotScale::linear(double low, double high, Ends ends) {
    auto [from, to] = linearEnds(low, high);
    const double step = niceAbove((to - from) / wantedSteps);
    if (ends == Ends::rounded) {
        from = std::floor(from / step + tolerance) * step;
        to = std::ceil(to / step - tolerance) * step;
    }
    PlotScale scale(from, to, false);
    scale.ticks_ = multiples(step, from, to);
    return scale;
}

PlotScale PlotScale::logarithmic(double low, double high, Ends ends) {
    auto [from, to] = logarithmicEnds(low, high);
    if (ends == Ends::rounded) {
        from = niceBelow(from);
        to = niceAbove(to);
    }
    PlotScale scale(from, to, true);
    scale.ticks_ = logarithmicTicks(from, to);
    return scale;
}

bool PlotScale::shows(double value) const {
    return std::isfinite(value) && (!logarithmic_ || value > 0);
}

double PlotScale::fraction(double value) const {
    if (!shows(value)) return value > low_ ? 1 : 0;
    const double part = logarithmic_ ? std::log(value / low_) / std::log(high_ / low_)
                                     : (value - low_) / (high_ - low_);
    return std::clamp(part, 0.0, 1.0);
}

}  // namespace load::page
