#include "echo_client/figures/LoadFigures.h"

#include <algorithm>

namespace load {

nio::Clock::duration sumOf(nio::Clock::duration one, nio::Clock::duration other) {
    constexpr auto longest = nio::Clock::duration::max();
    return one > longest - other ? longest : one + other;
}

LatencyHistogram::Duration LoadFigures::roundTrip() const {
    if (outside.count() == 0 || latency.count() == 0) return latency.min() + outside.min();
    return std::min(latency.min(), outside.min());
}

void LoadFigures::merge(const LoadFigures& other) {
    latency.merge(other.latency);
    service.merge(other.service);
    lateness.merge(other.lateness);
    outside.merge(other.outside);
    inTime += other.inTime;
    bytes += other.bytes;
    held += other.held;
    offline += other.offline;
    unsent += other.unsent;
    unanswered += other.unanswered;
    connect.merge(other.connect);
    handshake.merge(other.handshake);
    resumed += other.resumed;
    sent += other.sent;
    answered += other.answered;
    answeredBytes += other.answeredBytes;
    outages.merge(other.outages);
    reconnectsFailed += other.reconnectsFailed;
    busy = sumOf(busy, other.busy);
    covered = sumOf(covered, other.covered);
    stoodStill = std::max(stoodStill, other.stoodStill);
    errors.merge(other.errors);
}

}  // namespace load
