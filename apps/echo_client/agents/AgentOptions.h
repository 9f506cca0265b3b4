// What `echo-client agent` can be told.
//
// Thread: any; a value. The environment (ECHO_CLIENT_TOKEN) is read where --token is not given.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "common/Endpoint.h"

namespace load {

inline constexpr const char* agentProgram = "echo-client agent";

struct AgentOptions {
    apps::Endpoint listen{.host = "127.0.0.1", .port = 7010, .unixPath = {}};
    std::string token;        // never empty once parsed
    std::size_t threads = 0;  // dispatchers of a load at most; 0: as the coordinator wishes

    // --- not on the command line ------------------------------------------------------------
    std::chrono::milliseconds helloTimeout{5'000};
    // How long the answer to a wrong token takes.
    std::chrono::milliseconds refusalDelay{1'000};
    // A coordinator is there as long as it says something within it.
    std::chrono::milliseconds silence{30'000};
};

// `arguments` are the words behind `agent`. Absent: exit with `exitCode`; what there was to say has
// been said.
std::optional<AgentOptions> parseAgentOptions(const std::vector<std::string>& arguments,
                                              int& exitCode);

}  // namespace load
