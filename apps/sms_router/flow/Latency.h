// Counts how long a stage of a message took.
//
// Thread: the dispatcher's own.
#pragma once

#include <algorithm>
#include <bit>

#include <nio/sys/Clock.h>

#include "sms_router/admin/Snapshot.h"

namespace router {

inline void count(LatencyBuckets& buckets, nio::Clock::duration time) {
    const auto nanoseconds = time.count() < 0 ? 0 : static_cast<std::uint64_t>(time.count());
    const std::uint64_t micros = nanoseconds / 1000;
    const std::size_t bucket = static_cast<std::size_t>(std::bit_width(micros));
    ++buckets.counts[std::min(bucket, LatencyBuckets::count - 1)];
    buckets.sumMicroseconds += micros;
}

}  // namespace router
