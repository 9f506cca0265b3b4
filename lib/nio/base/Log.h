// Where the library says what nobody else can be told: one line a call, no newline at its end.
//
// The default logger writes "nio: LEVEL: line" to standard error. It needs no memory, and never
// blocks: while standard error is blocked, lines are dropped and counted (sys/LineSink.h). A
// program sets its own once, before it starts dispatchers; the logger is then called from any
// thread, also concurrently, and must not block either: it runs on dispatchers. Where it throws,
// the line goes to standard error.
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

// The default logger. Implemented in sys: this room knows no descriptor.
void logToStandardError(LogLevel level, std::string_view line) noexcept;

std::string_view toString(LogLevel level);

}  // namespace nio
