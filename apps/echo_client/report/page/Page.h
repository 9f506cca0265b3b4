// The parts of the HTML page, from top to bottom, as markup.
//
// Thread: any.
#pragma once

#include <string>
#include <vector>

#include "echo_client/report/Comparison.h"
#include "echo_client/report/EarlierRun.h"
#include "echo_client/report/LoadReport.h"
#include "echo_client/report/page/Runs.h"

namespace load::page {

// --- Summary.cpp ----------------------------------------------------------------------------

// What was loaded, and how.
std::string heading(const LoadReport& report);
// Passed; failed, and why; or invalid, when the generator was the limit and not the server.
std::string verdict(const LoadReport& report);
// The most important figures.
std::string tiles(const LoadReport& report);
// What the figures of an echo mean, a line each.
std::string meanings(const LoadReport& report);

// --- SearchPath.cpp -------------------------------------------------------------------------

// How --find-max found its rate: its figure against the rate, and the runs in order as a table.
// Empty without a search.
std::string search(const LoadReport& report);

// --- TimePlots.cpp and DistributionPlots.cpp ------------------------------------------------

std::string throughputPlot(const LoadReport& report, const std::vector<Run>& runs);
std::string latencyPlot(const LoadReport& report, const std::vector<Run>& runs);
std::string percentilePlot(const LoadReport& report, const std::vector<Run>& runs);
std::string histogramPlot(const LoadReport& report, const std::vector<Run>& runs);

// --- Details.cpp ----------------------------------------------------------------------------

// Tables of differences, percentiles, dispatchers, errors, repeats and the host.
std::string details(const LoadReport& report, const std::vector<EarlierRun>& others,
                    const std::vector<Comparison>& comparisons);

}  // namespace load::page
