// The metrics of dispatchers as Prometheus families. All names begin with nio_, every sample is
// labelled with its dispatcher; docs/metrics.md explains them.
//
// Thread: any.
#pragma once

#include <span>

#include <nio/observe/DispatcherMetrics.h>

#include "common/metrics/MetricsText.h"

namespace apps {

void writeDispatchers(MetricsText& text, std::span<const nio::DispatcherMetrics> dispatchers);

}  // namespace apps
