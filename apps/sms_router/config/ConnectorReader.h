// [connector.NAME]
//
// Thread: any.
#pragma once

#include <string>

#include "sms_router/config/RouterConfig.h"
#include "sms_router/config/TomlTable.h"

namespace router {

ConnectorConfig readConnector(const std::string& name, TomlTable& table);

}  // namespace router
