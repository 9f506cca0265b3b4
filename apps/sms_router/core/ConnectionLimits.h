// How many connections each listener may have, so that strangers cannot take the descriptors that
// the router needs for its own side.
//
// Thread: any; pure.
#pragma once

#include <vector>

#include "sms_router/config/RouterConfig.h"

namespace router {

// One for each listener: its max_connections; where that is 0 an equal part of what is left of
// `descriptors` by the router itself, the binds of the connectors, the admin interface, the
// `dispatchers`, and the listeners that say a number. Where that is little: of a quarter of
// `descriptors`. At least 1.
std::vector<std::size_t> connectionLimits(const RouterConfig& config, std::size_t descriptors,
                                          std::size_t dispatchers);

}  // namespace router
