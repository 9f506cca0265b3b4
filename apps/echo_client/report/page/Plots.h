// The four plots: throughput and latency over time, percentiles, histogram.
//
// Thread: any. All give markup.
#pragma once

#include <string>
#include <vector>

#include "echo_client/report/EarlierRun.h"
#include "echo_client/report/LoadReport.h"
#include "echo_client/report/page/Runs.h"

namespace load::page {

std::string plots(const LoadReport& report, const std::vector<EarlierRun>& others);

std::string throughputPlot(const LoadReport& report, const std::vector<Run>& runs);
std::string latencyPlot(const LoadReport& report, const std::vector<Run>& runs);
std::string percentilePlot(const LoadReport& report, const std::vector<Run>& runs);
std::string histogramPlot(const std::vector<Run>& runs);

}  // namespace load::page
