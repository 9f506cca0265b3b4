#include "echo_client/figures/LoadResult.h"

#include <algorithm>

#include "common/Units.h"

namespace load {

namespace {

constexpr double tooBusy = 0.9;

std::string percent(double part) {
    return apps::fixed(100 * part, part < 0.1 ? 1 : 0) + " %";
}

// Of all messages that were sent, also those that waited for answers: that was no fault of ours.
std::string lateMessages(const LoadFigures& total, const MaxLateness& most) {
    const auto sent = static_cast<double>(total.lateness.count() + total.held + total.offline);
    const auto late = static_cast<double>(total.lateness.countAbove(most.time));
    if (late <= most.share * sent) return "";
    return percent(late / sent) + " of the messages were sent more than " +
           apps::withUnit(most.time) +
           " late (p99 of lateness: " + apps::withUnit(total.lateness.percentile(99)) + ")";
}

std::string busiest(const std::vector<DispatcherLoad>& dispatchers) {
    const auto most = std::max_element(
        dispatchers.begin(), dispatchers.end(),
        [](const DispatcherLoad& a, const DispatcherLoad& b) { return a.busy < b.busy; });
    if (most == dispatchers.end() || most->busy <= tooBusy) return "";
    return most->name + " was " + percent(most->busy) + " busy";
}

std::string joined(const std::string& one, const std::string& other) {
    return one + (one.empty() || other.empty() ? "" : "; ") + other;
}

}  // namespace

double LoadResult::perSecond() const {
    return seconds() > 0 ? static_cast<double>(total.inTime) / seconds() : 0;
}

double LoadResult::megabytesPerSecond() const {
    return seconds() > 0 ? static_cast<double>(total.bytes) / 1e6 / seconds() : 0;
}

std::string LoadResult::lateness() const {
    if (!openLoop) return standstill();
    return joined(standstill(),
                  joined(lateMessages(total, maxLateness), busyPolls ? "" : busiest(dispatchers)));
}

std::string LoadResult::standstill() const {
    if (total.stoodStill.count() == 0) return "";
    return "the generator stood still for " + apps::withUnit(total.stoodStill);
}

std::string LoadResult::warning() const {
    const std::string busy = openLoop || busyPolls ? "" : busiest(dispatchers);
    return joined(lateness(),
                  busy.empty() ? "" : busy + ": the client may be the limit, not the server");
}

}  // namespace load
