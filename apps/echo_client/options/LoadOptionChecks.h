// What no single option can know: which ones contradict each other, and what follows from several.
//
// Thread: one at a time. Errors: CLI::ParseError, one line.
#pragma once

#include <CLI/CLI.hpp>

#include "echo_client/options/LoadOptions.h"

namespace load {

// Once all is parsed. Sets the defaults that depend on other options; reads ECHO_CLIENT_TOKEN where
// --agents has no --token.
void settle(const CLI::App& app, LoadOptions& options);

}  // namespace load
