// --flight-file: where what the dispatchers did last is written (nio/observe/FlightDump.h).
#pragma once

#include <CLI/CLI.hpp>

#include <optional>
#include <string>

namespace apps {

// `without`: what is done without the option.
CLI::Option* addFlightFile(CLI::App& app, std::string& file, const char* without);

// Why the file cannot be appended to, in one line: to be asked at the start, not first by the
// crash. Nothing is created, so nothing has to be removed. A symbolic link is refused, and so is a
// pipe without a reader; one with a reader is kept open, since its reader would leave. An empty
// name is no file, and fine.
std::optional<std::string> flightFileMistake(const std::string& file);

}  // namespace apps
