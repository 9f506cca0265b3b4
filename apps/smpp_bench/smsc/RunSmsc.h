// `smpp-bench smsc`: listens until SIGTERM or SIGINT, then says in one line of JSON what it has
// seen. SIGUSR1 asks for such a line meanwhile.
#pragma once

#include "smpp_bench/smsc/SmscOptions.h"

namespace smppbench {

int runSmsc(const SmscOptions& options);

}  // namespace smppbench
