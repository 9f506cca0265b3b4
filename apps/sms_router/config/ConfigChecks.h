// What only the whole configuration shows.
//
// Thread: any.
#pragma once

#include "sms_router/config/Findings.h"
#include "sms_router/config/RouterConfig.h"

namespace router {

void checkWhole(const RouterConfig& config, Findings& findings);

}  // namespace router
