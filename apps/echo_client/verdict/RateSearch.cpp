#include "echo_client/verdict/RateSearch.h"

#include <algorithm>

#include "common/Units.h"

namespace load {

RateSearch::RateSearch(double first, double lowest)
    : lowest_(lowest), next_(std::clamp(first, lowest, highest)) {}

bool RateSearch::isOver() const {
    if (runs_ >= maximumRuns || held_ >= highest || isHopeless_) return true;
    if (failed_ == 0) return false;
    return held_ == 0 ? failed_ <= lowest_ : failed_ - held_ <= precision * held_;
}

void RateSearch::tell(bool held) {
    ++runs_;
    late_ = 0;
    (held ? held_ : failed_) = next_;
    if (failed_ == 0) {
        next_ = std::min(highest, 2 * held_);
    } else {
        next_ = held_ == 0 ? std::max(lowest_, failed_ / 2) : (held_ + failed_) / 2;
    }
}

void RateSearch::tellLate() {
    if (++late_ < attempts) return static_cast<void>(++runs_);
    isHopeless_ = held_ == 0;
    tell(false);
}

std::optional<double> RateSearch::best() const {
    if (held_ == 0) return std::nullopt;
    return held_;
}

// --- a step ---------------------------------------------------------------------------------

namespace {

// Of what was due; less is a queue that grows.
constexpr double leastAchieved = 0.95;
// Of what was due: from fewer nothing can be told.
constexpr double leastPossible = 0.1;

// Before the first answers could come, none was missing: a round trip longer than the warm-up is no
// queue.
double notYetAnswered(const LoadResult& result) {
    const std::chrono::duration<double> wait = result.total.roundTrip() - result.warmup;
    return result.offered * std::max(0.0, wait.count());
}

// How many answers could come in the measured time.
double possible(const LoadResult& result) {
    return static_cast<double>(result.total.due()) - notYetAnswered(result);
}

bool fallsBehind(const LoadResult& result) {
    return static_cast<double>(result.total.inTime) < leastAchieved * possible(result);
}

bool isTooShort(const LoadResult& result) {
    return possible(result) < leastPossible * static_cast<double>(result.total.due());
}

std::string obstacleTo(const LoadResult& result) {
    if (result.total.errors.total() > 0) return result.total.errors.toString();
    if (result.total.unsent > 0) {
        return std::to_string(result.total.unsent) + " messages could not be sent in time";
    }
    if (isTooShort(result)) return "a round trip takes longer than the warm-up and most of the run";
    if (fallsBehind(result)) {
        return "only " + apps::fixed(result.perSecond(), 0) + "/s were answered in time";
    }
    return result.interrupted ? "interrupted" : "";
}

}  // namespace

SearchStep SearchStep::of(const Requirement& requirement, double rate, const LoadResult& result) {
    SearchStep step;
    step.rate = rate;
    step.achieved = result.perSecond();
    step.found = requirement.describe(result);
    step.value = requirement.valueIn(result);
    step.obstacle = obstacleTo(result);
    step.held = step.obstacle.empty() && requirement.isMetBy(result);
    const std::string lateness = result.lateness();
    if (step.held || lateness.empty() || result.total.errors.total() > 0) return step;
    step.obstacle = lateness;
    step.generatorsFault = true;
    return step;
}

}  // namespace load
