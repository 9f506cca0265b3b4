// A new configuration in the terms of the running one: connectors keep their index, so that what is
// under way still means the same one. Those that are gone keep an empty place.
//
// Thread: any; pure.
#pragma once

#include "sms_router/config/RouterConfig.h"

namespace router {

// No name: the place is empty.
std::shared_ptr<const RouterConfig> aligned(const RouterConfig& next, const RouterConfig& running);

}  // namespace router
