// What echo-client can be told.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <nio/selector/Selector.h>

#include "common/Endpoint.h"
#include "common/Framing.h"

namespace load {

struct LoadOptions {
    apps::Endpoint endpoint;
    std::size_t connections = 50;
    std::size_t messageBytes = 64;
    std::size_t pipeline = 1;  // messages under way per connection
    std::chrono::milliseconds duration{5000};
    std::chrono::milliseconds warmup{500};
    std::size_t threads = 0;  // 0: one per CPU; never more than connections
    nio::SelectorKind selector = nio::SelectorKind::automatic;
    apps::Framing framing = apps::Framing::raw;
    std::vector<nio::SocketAddress> sources;  // dealt out to the connections in turn
    std::string jsonPath;                     // "-": standard output
    bool quiet = false;

    std::size_t dispatchers() const;
};

// Absent: exit with `exitCode`.
std::optional<LoadOptions> parseLoadOptions(int argc, char** argv, int& exitCode);

// What the framing can carry, or what a raw message may have.
std::size_t largestMessage(apps::Framing framing);

// Absent if the process may open enough descriptors for `options`; else how many connections it
// may.
std::optional<std::string> lacksDescriptors(const LoadOptions& options);

}  // namespace load
