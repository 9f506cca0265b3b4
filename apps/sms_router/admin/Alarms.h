// What an administrator should look at now, in sentences.
//
// Thread: any.
#pragma once

#include <string>
#include <vector>

#include "sms_router/admin/Snapshot.h"

namespace router {

std::vector<std::string> alarmsOf(const Snapshot& snapshot);

// The state is one of those in which requests may be sent.
bool isBound(const BindRow& bind);
std::size_t boundCount(const std::vector<BindRow>& binds);

}  // namespace router
