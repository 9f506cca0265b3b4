#include "sms_router/model/Snapshot.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace router {

std::uint64_t LatencyBuckets::total() const {
    return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
}

std::optional<std::uint64_t> LatencyBuckets::percentile(double fraction) const {
    const std::uint64_t all = total();
    if (all == 0) return 0;
    const double rank = std::ceil(std::clamp(fraction, 0.0, 1.0) * static_cast<double>(all));
    // At least one, and no rounding past the last.
    std::uint64_t left = std::clamp<std::uint64_t>(static_cast<std::uint64_t>(rank), 1, all);
    std::size_t bucket = 0;
    while (left > counts[bucket]) left -= counts[bucket++];
    if (bucket + 1 == count) return std::nullopt;
    return std::uint64_t{1} << bucket;
}

LatencyBuckets& LatencyBuckets::operator+=(const LatencyBuckets& other) {
    for (std::size_t i = 0; i < count; ++i) counts[i] += other.counts[i];
    sumMicroseconds += other.sumMicroseconds;
    return *this;
}

Stages& Stages::operator+=(const Stages& other) {
    windowWait += other.windowWait;
    handOff += other.handOff;
    smsc += other.smsc;
    commit += other.commit;
    return *this;
}

Stages Snapshot::stages() const {
    Stages sum;
    for (const ConnectorRow& connector : connectors) {
        sum += connector.stages;
        for (const auto& [status, stages] : connector.refusedStages.counts()) sum += stages;
        sum += connector.refusedStages.others();
    }
    return sum;
}

std::string_view nameOf(Alarm::Kind kind) {
    static constexpr std::array<std::string_view, Alarm::kinds> names{
        "store_fails",  "store_slow", "records_fail", "connector_down", "binds_missing",
        "queue",        "throttled",  "no_receipts",  "certificate",    "client_certificate",
        "webhook_fails"};
    return names[static_cast<std::size_t>(kind)];
}

}  // namespace router
