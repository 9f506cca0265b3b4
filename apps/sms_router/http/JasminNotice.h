// A notice as Jasmin gives it: the fields of a form.
//
// Thread: any; pure.
// Source: docs/kannel-and-jasmin.md.
#pragma once

#include "common/http/HttpRequest.h"
#include "sms_router/http/Notice.h"

namespace router {

// `level`: of a receipt, as its message asked for it (dlr-level).
apps::HttpFields jasminFields(const Notice& notice, unsigned level);

}  // namespace router
