// What stands below the plots, as tables: percentiles, dispatchers, errors, repeats, host.
//
// Thread: any. Gives markup.
#pragma once

#include <string>
#include <vector>

#include "echo_client/report/EarlierRun.h"
#include "echo_client/report/LoadReport.h"

namespace load::page {

std::string details(const LoadReport& report, const std::vector<EarlierRun>& others);

// Plain text, as a shell would take it.
std::string commandLine(const std::vector<std::string>& arguments);

}  // namespace load::page
