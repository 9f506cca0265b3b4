// [account.NAME]
//
// A password in clear is hashed here, by the cheap method: about a millisecond each. The same one
// has the same hash when it is read again.
//
// Thread: any.
#pragma once

#include <string>

#include "sms_router/config/RouterConfig.h"
#include "sms_router/config/TomlTable.h"

namespace router {

AccountConfig readAccount(const std::string& name, TomlTable& table);

}  // namespace router
