// What sms-router can be told on its command line.
//
// Thread: any; a value.
#pragma once

#include <optional>
#include <string>

#include "sms_router/config/ConfigReader.h"
#include "sms_router/routing/ExplainRequest.h"

namespace router {

struct RouterOptions {
    enum class Task { run, check, explain, hashPassword };

    Task task = Task::run;
    std::string configFile;  // never empty, but with hashPassword
    Settings settings;
    std::string flightFile;  // empty: none
    ExplainRequest message;  // what to explain
};

// Absent: exit with `exitCode`; what there was to say has been said.
std::optional<RouterOptions> parseRouterOptions(int argc, char** argv, int& exitCode);

}  // namespace router
