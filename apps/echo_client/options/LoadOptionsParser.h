// LoadOptions from the words of a command line, and back: a coordinator sends its agents words, and
// they read them with the same parser.
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
// --version are errors here.
nio::Result<LoadOptions> readLoadOptions(const std::vector<std::string>& arguments);

// The same for a user at a terminal. Absent: everything has been printed; exit with `exitCode`.
std::optional<LoadOptions> parseLoadOptions(const std::vector<std::string>& arguments,
                                            int& exitCode);

// The words of the load alone, without outputs, verdicts, agents and their token. readLoadOptions()
// makes the same load of them.
std::vector<std::string> loadArguments(const LoadOptions& options);

// The first option that an agent refuses: it writes no files, directs no other agents, and makes
// one honest run at a time. Absent: there is none.
std::optional<std::string> notForAgents(const LoadOptions& options);

}  // namespace load
