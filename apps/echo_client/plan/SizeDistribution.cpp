#include "echo_client/plan/SizeDistribution.h"

#include <algorithm>

#include "common/Quantity.h"
#include "echo_client/plan/Weighted.h"

namespace load {

namespace {

struct Range {
    std::size_t low;
    std::size_t high;
};

nio::Result<Range> parseRange(const std::string& text) {
    const std::size_t dash = text.find('-');
    const auto low = apps::parseCount(text.substr(0, dash));
    if (!low) return low.error();
    if (dash == std::string::npos) return Range{low.value(), low.value()};
    const auto high = apps::parseCount(text.substr(dash + 1));
    if (!high) return high.error();
    return Range{low.value(), high.value()};
}

}  // namespace

SizeDistribution::SizeDistribution(std::size_t bytes)
    : text_(std::to_string(bytes)),
      smallest_(bytes),
      largest_(bytes),
      parts_{{bytes, bytes, 1, 1}} {}

nio::Result<SizeDistribution> SizeDistribution::parse(const std::string& text) {
    const auto refuse = [&text](const std::string& why) {
        return nio::Error(std::errc::invalid_argument, "'" + text + "': " + why);
    };
    const auto items = parseWeighted(text);
    if (!items) return items.error();
    SizeDistribution sizes;
    sizes.text_ = text;
    sizes.parts_.clear();
    double sum = 0;
    for (const Weighted& item : items.value()) {
        const auto range = parseRange(item.what);
        if (!range) return range.error();
        const auto [low, high] = range.value();
        if (low == 0) return refuse("a message has at least 1 byte");
        if (high < low) return refuse("a range must be LOW-HIGH");
        sum += item.weight;
        sizes.parts_.push_back({low, high, item.weight, sum});
    }
    const auto lower = [](const Part& a, const Part& b) { return a.low < b.low; };
    const auto higher = [](const Part& a, const Part& b) { return a.high < b.high; };
    sizes.smallest_ = std::min_element(sizes.parts_.begin(), sizes.parts_.end(), lower)->low;
    sizes.largest_ = std::max_element(sizes.parts_.begin(), sizes.parts_.end(), higher)->high;
    return sizes;
}

double SizeDistribution::mean() const {
    double sum = 0;
    for (const Part& part : parts_) {
        sum += part.weight * (static_cast<double>(part.low) + static_cast<double>(part.high)) / 2;
    }
    return sum / parts_.back().cumulated;
}

std::size_t SizeDistribution::drawVaried(Random& random) const {
    const double place = random.fraction() * parts_.back().cumulated;
    const auto part = std::upper_bound(
        parts_.begin(), parts_.end() - 1, place,
        [](double where, const Part& candidate) { return where < candidate.cumulated; });
    return part->low + random.below(part->high - part->low + 1);
}

}  // namespace load
