// Points of time as RFC 3339 has them: "2024-02-29T23:59:59.000125Z".
//
// Thread: any.
#pragma once

#include <chrono>
#include <string>

namespace router {

// UTC, whole microseconds. Years 0 to 9999.
void appendTime(std::string& out, std::chrono::system_clock::time_point time);

}  // namespace router
