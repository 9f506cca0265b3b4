// LoadOptions from a command line, or from the words of one that came over a network.
//
// Thread: any, but for the environment (ECHO_CLIENT_TOKEN), which is read where --agents is given
// without --token.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <nio/base/Result.h>

#include "echo_client/options/LoadOptions.h"

namespace load {

// `arguments` are the words behind the program's name. Prints nothing.
// Errors: std::errc::invalid_argument; context() is one line, which names the option. --help and
// --version are no options here.
nio::Result<LoadOptions> readLoadOptions(const std::vector<std::string>& arguments);

// The same for a user at a terminal. Absent: exit with `exitCode`; what there was to say has been
// said.
std::optional<LoadOptions> parseLoadOptions(const std::vector<std::string>& arguments,
                                            int& exitCode);

}  // namespace load
