// Puts together what the dispatchers report.
//
// Thread: any; pure, but for the counters of accounts and the store, which it reads.
#pragma once

#include <memory>
#include <vector>

#include "sms_router/admin/Snapshot.h"
#include "sms_router/core/Inspection.h"

namespace router {

std::shared_ptr<Snapshot> makeSnapshot(std::vector<ShardReport> reports, const Store& store,
                                       bool draining, std::chrono::seconds uptime);

}  // namespace router
