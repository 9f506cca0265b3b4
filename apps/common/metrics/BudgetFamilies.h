// The memory budget of a process as Prometheus families, nio_memory_budget_…; docs/metrics.md
// explains them.
//
// Thread: any.
#pragma once

#include <nio/memory/MemoryBudget.h>

#include "common/metrics/MetricsText.h"

namespace apps {

// Null: there is none, and nothing is written.
void writeBudget(MetricsText& text, const nio::MemoryBudget* budget);

}  // namespace apps
