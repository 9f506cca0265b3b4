// The metrics of a process as Prometheus families; docs/metrics.md explains them.
//
// Thread: any; it reads /proc.
// Source of the names process_…: prometheus.io, Writing client libraries.
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

// What the kernel knows of this process; what a sandbox hides is left out.
void writeProcess(MetricsText& text);

// nio_build_info: what this program was built from.
void writeBuild(MetricsText& text);

}  // namespace apps
