// What a coordinator asks its agents for, as the words of a command line, so that the agent reads
// it with the parser that it has anyway.
//
// Thread: any.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "echo_client/options/LoadOptions.h"

namespace load {

// The load alone: nothing of outputs, verdicts, agents and their token. Read again they make the
// same load.
std::vector<std::string> loadArguments(const LoadOptions& options);

// Absent: an agent may do that. Else the option that is not its business: it writes no files,
// directs nobody else, and makes one honest run at a time.
std::optional<std::string> notForAgents(const LoadOptions& options);

}  // namespace load
