// What echo-server can be told.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <nio/group/Rebalancer.h>
#include <nio/selector/Selector.h>

#include "common/Delay.h"
#include "common/Endpoint.h"
#include "common/Framing.h"
#include "common/ServerOptions.h"
#include "echo_server/CloseAfter.h"
#include "echo_server/Stall.h"

namespace echo {

enum class Dealing { roundRobin, fewest, leastBusy };

enum class Service { echo, discard, chargen };

// What makes it other than an echo at once, for tests of clients and proxies.
struct Behaviour {
    Service service = Service::echo;
    apps::Delay delay{};
    Stall::Times stall{};
    CloseAfter::Limit closeAfter{};
    std::size_t chunk = 0;  // bytes; 0: answers are not split
    bool proxyProtocol = false;

    bool isPlain() const {
        const bool closes = closeAfter.isSet() || stall.length > apps::Delay::Time::zero();
        return service == Service::echo && delay.isNone() && !closes && chunk == 0 &&
               !proxyProtocol;
    }
};

struct Listen {
    apps::Endpoint endpoint;
    bool tls = false;  // as "tls:" asks for
};

struct EchoServerOptions {
    // One at least. Sockets that a service manager passes take their place, unless
    // hasChosenListens.
    std::vector<Listen> listens;
    bool hasChosenListens = false;  // by an option
    std::size_t threads = 0;        // 0: one per CPU
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
    std::string takeover{};        // empty: no successor can take the listeners over
    std::string tlsCertificate{};  // empty: no TLS. Else all use it, or those that ask for it
    std::string tlsKey{};
    std::optional<apps::Endpoint> metrics;  // absent: nobody can ask
    Behaviour behaviour{};
    bool verbose = false;
};

// Absent: exit with `exitCode`.
std::optional<EchoServerOptions> parseEchoServerOptions(int argc, char** argv, int& exitCode);

}  // namespace echo
