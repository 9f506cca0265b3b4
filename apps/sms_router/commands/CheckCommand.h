// sms-router --check: what is wrong with a configuration.
//
// Thread: any.
#pragma once

#include <iosfwd>
#include <string>

#include "sms_router/commands/RouterOptions.h"

namespace router {

// Mistakes and warnings, a line each.
void writeFindings(const std::string& path, const ConfigReading& reading, std::ostream& errors);
// What there is, in one line.
std::string summaryOf(const RouterConfig& config);

// "FILE: ok" and the summary; or every mistake. The exit code.
int checkConfig(const RouterOptions& options, std::ostream& out, std::ostream& errors);

}  // namespace router
