#include "echo_client/report/page/Plots.h"

#include "echo_client/report/page/Markup.h"

namespace load::page {

std::string plots(const LoadReport& report, const std::vector<EarlierRun>& others) {
    const std::vector<Run> runs = runsOf(report, others);
    return element("div class=\"plots\"", "\n" + throughputPlot(report, runs) +
                                              latencyPlot(report, runs) +
                                              percentilePlot(report, runs) + histogramPlot(runs)) +
           "\n";
}

}  // namespace load::page
