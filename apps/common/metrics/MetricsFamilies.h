// The metrics of a process as Prometheus families; docs/metrics.md explains them. All names begin
// with nio_.
//
// Thread: any.
#pragma once

#include <span>

#include <nio/memory/MemoryBudget.h>
#include <nio/observe/DispatcherMetrics.h>

#include "common/metrics/MetricsText.h"

namespace apps {

// Each sample is labelled with its dispatcher.
void writeDispatchers(MetricsText& text, std::span<const nio::DispatcherMetrics> dispatchers);

// nio_memory_budget_…; nothing if there is no budget (null).
void writeBudget(MetricsText& text, const nio::MemoryBudget* budget);

}  // namespace apps
