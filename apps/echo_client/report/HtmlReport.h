// The results as a page: one HTML file that needs nothing else, neither script nor network, and
// can be read in light and dark, on a telephone, and by ear.
//
// Thread: any.
#pragma once

#include <string>
#include <vector>

#include "echo_client/report/EarlierRun.h"
#include "echo_client/report/LoadReport.h"

namespace load {

// The earlier runs are laid over the plots of this one.
std::string toHtml(const LoadReport& report, const std::vector<EarlierRun>& others);

}  // namespace load
