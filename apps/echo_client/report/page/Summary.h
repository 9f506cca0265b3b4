// The top of the page: what was loaded and how, whether it passed, and the figures that matter.
//
// Thread: any. All give markup.
#pragma once

#include <string>

#include "echo_client/report/LoadReport.h"

namespace load::page {

std::string heading(const LoadReport& report);
// Passed, failed and why, or invalid: then the generator was the limit, not the server.
std::string verdict(const LoadReport& report);
std::string tiles(const LoadResult& result);
// What the figures stand for, a line each.
std::string meanings(const LoadResult& result);

}  // namespace load::page
