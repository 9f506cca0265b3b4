// A TOML document to RouterConfig: the sections in the order in which they need each other.
//
// Thread: any.
#pragma once

#include <toml++/toml.h>

#include "sms_router/config/Findings.h"
#include "sms_router/config/RouterConfig.h"

namespace router {

// Of use only if there are no mistakes among the findings then.
RouterConfig readWhole(const toml::table& document, Findings& findings);

}  // namespace router
