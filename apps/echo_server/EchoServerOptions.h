// What echo-server can be told.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>

#include <nio/group/Rebalancer.h>
#include <nio/selector/Selector.h>

#include "common/Endpoint.h"
#include "common/Framing.h"
#include "common/ServerOptions.h"

namespace echo {

enum class Dealing { roundRobin, fewest, leastBusy };

struct EchoServerOptions {
    apps::Endpoint endpoint;
    std::size_t threads = 0;  // 0: one per CPU
    nio::SelectorKind selector = nio::SelectorKind::automatic;
    std::chrono::nanoseconds spin{0};
    std::chrono::nanoseconds moderation{0};
    std::size_t readLimit = nio::SelectorOptions().receiveBufferBytes;
    Dealing dealing = Dealing::roundRobin;
    std::optional<nio::RebalanceOptions> rebalance;  // absent: connections stay where they are
    apps::Framing framing = apps::Framing::raw;
    std::chrono::milliseconds idleTimeout{0};
    std::chrono::seconds keepAlive = apps::usualKeepAlive;
    std::chrono::milliseconds drainTimeout{5000};
    std::chrono::milliseconds stallLimit{100};  // 0: nobody looks
    std::size_t flightRecords = 1024;           // 0: none
    std::string flightFile{};                   // empty: standard error
    std::size_t maxConnections = 0;
    apps::BudgetBytes memoryBudget{};
    std::optional<unsigned> unixMode;
    std::string tlsCertificate{};  // empty: no TLS
    std::string tlsKey{};
    std::optional<apps::Endpoint> metrics;  // absent: nobody can ask
    bool verbose = false;
};

// Absent: exit with `exitCode`.
std::optional<EchoServerOptions> parseEchoServerOptions(int argc, char** argv, int& exitCode);

}  // namespace echo
