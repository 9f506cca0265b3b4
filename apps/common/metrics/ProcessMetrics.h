// What the kernel knows of this process, by the names that Prometheus' own clients use, and what
// this program was built from.
//
// Thread: any; it reads /proc. Source: prometheus.io, Writing client libraries.
#pragma once

#include "common/metrics/MetricsText.h"

namespace apps {

// process_…; what a sandbox hides is left out.
void writeProcess(MetricsText& text);

// nio_build_info.
void writeBuild(MetricsText& text);

}  // namespace apps
