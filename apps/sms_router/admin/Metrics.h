// A Snapshot as Prometheus metrics: /metrics. The router's own names begin with sms_router_; behind
// them come the nio_ families of docs/metrics.md: those of each of its dispatchers, and
// nio_memory_budget_ if there is a budget. Latencies are histograms in seconds.
//
// Thread: any.
#pragma once

#include <string>

#include "sms_router/admin/Snapshot.h"

namespace router {

std::string metrics(const Snapshot& snapshot);

}  // namespace router
