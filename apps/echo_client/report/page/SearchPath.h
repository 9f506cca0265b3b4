// How --find-max came to its rate: the runs in order, as a plot and as a table.
//
// Thread: any. Gives markup; nothing where there was no search.
#pragma once

#include <string>

#include "echo_client/report/LoadReport.h"

namespace load::page {

std::string search(const LoadReport& report);

}  // namespace load::page
