// [group.NAME]
//
// Thread: any.
#pragma once

#include <string>

#include "sms_router/config/ConfigValues.h"
#include "sms_router/config/RouterConfig.h"
#include "sms_router/config/TomlTable.h"

namespace router {

GroupConfig readGroup(const std::string& name, TomlTable& table, const Indices& connectors);

}  // namespace router
