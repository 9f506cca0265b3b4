#include "echo_client/verdict/RateSearch.h"

#include <algorithm>

namespace load {

RateSearch::RateSearch(double first, double lowest)
    : lowest_(lowest), next_(std::clamp(first, lowest, highest)) {}

bool RateSearch::isOver() const {
    if (runs_ >= maximumRuns || held_ >= highest) return true;
    if (failed_ == 0) return false;
    return held_ == 0 ? failed_ <= lowest_ : failed_ - held_ <= precision * held_;
}

void RateSearch::tell(bool held) {
    ++runs_;
    (held ? held_ : failed_) = next_;
    if (failed_ == 0) {
        next_ = std::min(highest, 2 * held_);
    } else {
        next_ = held_ == 0 ? std::max(lowest_, failed_ / 2) : (held_ + failed_) / 2;
    }
}

std::optional<double> RateSearch::best() const {
    if (held_ == 0) return std::nullopt;
    return held_;
}

}  // namespace load
