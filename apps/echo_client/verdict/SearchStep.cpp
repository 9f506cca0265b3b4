#include "echo_client/verdict/SearchStep.h"

#include <algorithm>

#include "echo_client/figures/Units.h"

namespace load {

namespace {

// Of what was due; less is a queue that grows.
constexpr double leastAchieved = 0.95;

// Before the first answers could come, none was missing: a round trip longer than the warm-up is no
// queue.
double notYetAnswered(const LoadResult& result) {
    const std::chrono::duration<double> wait = result.total.roundTrip() - result.warmup;
    return result.offered * std::max(0.0, wait.count());
}

bool fallsBehind(const LoadResult& result) {
    const double explained = static_cast<double>(result.total.inTime) + notYetAnswered(result);
    return explained < leastAchieved * static_cast<double>(result.total.due());
}

std::string obstacleTo(const LoadResult& result) {
    if (std::string saturation = result.saturation(); !saturation.empty()) return saturation;
    if (result.total.errors.total() > 0) return result.total.errors.toString();
    if (result.total.unsent > 0) {
        return std::to_string(result.total.unsent) + " messages could not be sent in time";
    }
    if (fallsBehind(result)) {
        return "only " + fixed(result.perSecond(), 0) + "/s were answered in time";
    }
    return result.interrupted ? "interrupted" : "";
}

}  // namespace

SearchStep SearchStep::of(const Requirement& requirement, double rate, const LoadResult& result) {
    SearchStep step;
    step.rate = rate;
    step.achieved = result.perSecond();
    step.found = requirement.describe(result);
    step.obstacle = obstacleTo(result);
    step.generatorsFault = !result.saturation().empty();
    step.held = step.obstacle.empty() && requirement.isMetBy(result);
    return step;
}

}  // namespace load
