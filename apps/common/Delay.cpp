#include "common/Delay.h"

#include <algorithm>

#include "common/Quantity.h"

namespace apps {

namespace {

using namespace std::chrono_literals;

constexpr std::string_view exponentialPrefix = "exp:";
constexpr std::string_view rangeDots = "..";
constexpr Delay::Time longestDelay = 1h;
// One draw of half a billion would be longer.
constexpr int longestInMeans = 20;

nio::Result<Delay::Time> timeFrom(const std::string& text) {
    return parseDurationWithin(0s, longestDelay, text);
}

}  // namespace

nio::Result<Delay> Delay::parse(const std::string& text) {
    Delay delay;
    if (text.starts_with(exponentialPrefix)) {
        const auto mean = timeFrom(text.substr(exponentialPrefix.size()));
        if (!mean) return mean.error();
        delay.mean_ = mean.value();
        delay.high_ = mean.value() * longestInMeans;
        return delay;
    }
    const std::size_t dots = text.find(rangeDots);
    const auto low = timeFrom(text.substr(0, dots));
    if (!low) return low.error();
    const auto high = dots == text.npos ? low : timeFrom(text.substr(dots + rangeDots.size()));
    if (!high) return high.error();
    if (high.value() < low.value()) {
        return nio::Error(std::errc::invalid_argument,
                          "'" + text + "' ends before it begins: write the shorter time first");
    }
    delay.low_ = low.value();
    delay.high_ = high.value();
    return delay;
}

Delay::Time Delay::next(Random& random) const {
    const auto seconds = [](Time time) { return std::chrono::duration<double>(time).count(); };
    const auto drawn = [&](auto&& distribution) {
        const std::chrono::duration<double> time(distribution(random));
        return std::min(nio::Clock::bounded(time), high_);
    };
    if (mean_ > Time::zero()) {
        return drawn(std::exponential_distribution<double>(1 / seconds(mean_)));
    }
    if (low_ == high_) return low_;
    return drawn(std::uniform_real_distribution<double>(seconds(low_), seconds(high_)));
}

}  // namespace apps
