// The log of the library, for errors that no caller can receive: one line per call, without
// newline.
//
// The default logger writes "nio: LEVEL: line" to standard error. It does not allocate or block:
// while standard error is blocked, lines are dropped and counted (sys/LineSink.h). A program sets
// its own logger once, before it starts dispatchers. That logger is called from any thread, also
// concurrently, and must not block, since it runs on dispatchers. If it throws, the line goes to
// standard error.
//
// Thread: any.
#pragma once

#include <functional>
#include <string_view>

#include <nio/base/Cpp20.h>

namespace nio {

enum class LogLevel { debug, info, warning, error };

using Logger = std::function<void(LogLevel, std::string_view line)>;

// An empty logger silences the library.
void setLogger(Logger logger);

void log(LogLevel level, std::string_view line);

// The default logger. Implemented in sys, since base has no descriptors.
void logToStandardError(LogLevel level, std::string_view line) noexcept;

std::string_view toString(LogLevel level);

}  // namespace nio
