#include "echo_client/figures/LoadFigures.h"

namespace load {

void LoadFigures::merge(const LoadFigures& other) {
    latency.merge(other.latency);
    service.merge(other.service);
    lateness.merge(other.lateness);
    outside.merge(other.outside);
    inTime += other.inTime;
    bytes += other.bytes;
    held += other.held;
    unsent += other.unsent;
    connect.merge(other.connect);
    sent += other.sent;
    answered += other.answered;
    busy += other.busy;
    covered += other.covered;
    errors.merge(other.errors);
}

}  // namespace load
