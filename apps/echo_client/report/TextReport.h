// The results for a reader at a terminal: rows with a label, at most 100 columns.
//
// Thread: any.
#pragma once

#include <string>

#include "echo_client/report/LoadReport.h"

namespace load {

std::string toText(const LoadReport& report);

}  // namespace load
