// A query_sm, cancel_sm or replace_sm as the SMSC needs it.
//
// Thread: any; pure.
#pragma once

#include "sms_router/delivery/IdMap.h"
#include "sms_router/model/Submission.h"

namespace router {

// The SMSC's id instead of ours, and the source that it knows. False: `entry` cannot be named to
// the SMSC, or the PDU has no room; `submission` is as it was.
[[nodiscard]] bool nameToSmsc(Submission& submission, const IdEntry& entry);

}  // namespace router
