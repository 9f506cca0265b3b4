// What the command lines of all programs have in common: --help and --version, one line on standard
// error for a mistake, exit 2.
#pragma once

#include <CLI/CLI.hpp>

#include <optional>

#include "common/Endpoint.h"

namespace apps {

enum ExitCode { exitOk = 0, exitFailed = 1, exitUsage = 2 };

void addVersion(CLI::App& app, const std::string& program);
// --host, --port, --unix (which excludes the other two).
void addEndpoint(CLI::App& app, Endpoint& endpoint, bool mayBeZero);

// Absent: go on. Otherwise exit with it; what there was to say has been said.
std::optional<int> parse(CLI::App& app, int argc, char** argv);

// "PROGRAM: line" on standard error; returns `code`.
int fail(const std::string& program, const std::string& line, int code);

}  // namespace apps
