// --flight-file: where what the dispatchers did last is written (nio/dispatch/FlightDump.h).
#pragma once

#include <CLI/CLI.hpp>

#include <string>

namespace apps {

// `without`: what is done without the option.
CLI::Option* addFlightFile(CLI::App& app, std::string& file, const char* without);

// To be asked at the start, not first by the crash, which opens it the same way. An empty file is
// not left behind. An empty name is no file: true.
bool canBeAppendedTo(const std::string& file);

// One line for whoever named a file of which that is false.
std::string flightFileMistake(const std::string& file);

}  // namespace apps
