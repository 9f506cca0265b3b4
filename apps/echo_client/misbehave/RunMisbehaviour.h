// What main does with --misbehave: runs it, says how it goes on standard error once a second unless
// options.output.quiet, and prints the report, as JSON too where `json` is open.
//
// Thread: main's, before it has started another one (SIGINT and SIGTERM are blocked from here on).
// Errors: throws std::system_error.
#pragma once

#include <nio/sys/SocketAddress.h>

#include "echo_client/options/LoadOptions.h"
#include "echo_client/report/OutputFile.h"

namespace load {

// The exit code, see MisbehaviourReport; 1 too if the report could not be written.
int runMisbehaviour(const LoadOptions& options, const nio::SocketAddress& server, OutputFile& json);

}  // namespace load
