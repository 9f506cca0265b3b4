// `smpp-bench esme`: one run, and what came of it. Exit 0 only if all is as it should be. SIGTERM
// or SIGINT ends the sending, a second one the run.
#pragma once

#include "smpp_bench/esme/EsmeOptions.h"

namespace smppbench {

int runEsme(const EsmeOptions& options);

}  // namespace smppbench
