// A Snapshot as Prometheus metrics: /metrics. All names begin with sms_router_; latencies are
// histograms in seconds.
//
// Thread: any.
#pragma once

#include <string>

#include "sms_router/admin/Snapshot.h"

namespace router {

inline constexpr const char* metricsType = "text/plain; version=0.0.4; charset=utf-8";

std::string metrics(const Snapshot& snapshot);

}  // namespace router
