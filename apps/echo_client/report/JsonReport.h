// The results for programs: one JSON object, which --compare and --html read too. Times are in the
// unit that the key names, or in µs; a figure that does not apply is null, a text or list empty.
//
// Thread: any.
#pragma once

#include <string>

#include "echo_client/report/LoadReport.h"

namespace load {

// With a newline at the end. Bytes that are no UTF-8 are replaced.
std::string toJson(const LoadReport& report);

}  // namespace load
