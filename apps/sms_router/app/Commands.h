// The command line of sms-router, and what it can do instead of running: --check, --explain
// --hash-password and --make-api-key.
//
// Thread: any.
#pragma once

#include <iosfwd>
#include <optional>
#include <string>

#include "sms_router/config/ConfigReader.h"
#include "sms_router/routing/Explain.h"

namespace router {

struct RouterOptions {
    enum class Task { run, check, explain, hashPassword, makeApiKey };

    Task task = Task::run;
    std::string configFile;  // empty only with the last two tasks
    Settings settings;
    std::string flightFile;  // empty: none
    std::string takeover;    // path of a Unix-domain socket; empty: none
    ExplainRequest message;  // what to explain
};

// Absent: exit with `exitCode`; what there was to say has been said.
std::optional<RouterOptions> parseRouterOptions(int argc, char** argv, int& exitCode);

// Mistakes and warnings, a line each.
void writeFindings(const std::string& path, const ConfigReading& reading, std::ostream& errors);
// What there is, in one line.
std::string summaryOf(const RouterConfig& config);

// --check: "FILE: ok" and the summary; or every mistake. Returns the exit code.
int checkConfig(const RouterOptions& options, std::ostream& out, std::ostream& errors);

// --explain: which way a message would take if every connector were there, a line for each step.
// Returns the exit code.
int explainMessage(const RouterOptions& options, std::ostream& out, std::ostream& errors);

// --hash-password: the hash of the password in the first line. Returns the exit code.
int hashPassword(std::istream& in, std::ostream& out, std::ostream& errors);
// The same of standard input; a terminal does not show what is typed.
int hashPasswordOfStandardInput();

// --make-api-key: a new key, and the line of its account. Returns the exit code.
int makeApiKey(std::ostream& out);

}  // namespace router
