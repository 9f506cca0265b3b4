// sms-router --explain: which way a message would take if every connector were there.
//
// Thread: any.
#pragma once

#include <iosfwd>

#include "sms_router/commands/RouterOptions.h"

namespace router {

// A line for each step. The exit code.
int explainMessage(const RouterOptions& options, std::ostream& out, std::ostream& errors);

}  // namespace router
