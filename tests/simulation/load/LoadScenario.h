// What one run of the load generator is made of, drawn from its seed: the load, and how the server
// treats its connections.
//
// Thread: a value.
#pragma once

#include <array>
#include <chrono>
#include <vector>

#include "echo_client/options/LoadOptions.h"
#include "simulation/Faults.h"
#include "simulation/Machine.h"

namespace simulation {

// How the server treats one connection.
enum class Treatment : std::uint8_t {
    echo,         // to its end
    closeAtOnce,  // by FIN
    resetAtOnce,  // by RST
    keepSilent,   // reads nothing, sends nothing
    closeMidway,  // in the middle of an answer, or of a pause
    resetMidway,
};
constexpr std::size_t treatments = static_cast<std::size_t>(Treatment::resetMidway) + 1;

// While it lasts, no connection is made.
struct Outage {
    std::chrono::milliseconds from{0};  // since the start of the run
    std::chrono::milliseconds to{0};
    bool isSilent = false;  // connects time out; else they are refused
};

struct LoadScenario {
    static LoadScenario drawn(std::uint64_t seed);

    static nio::SocketAddress server() { return nio::SocketAddress::loopback4(7007); }
    // Where a connection of that slot comes from: each slot has an address of its own.
    nio::SocketAddress sourceOf(std::size_t slot) const { return options.sources[slot]; }
    // The server echoes everything in time, and the kernel fails nothing.
    bool isCalm() const;

    std::uint64_t seed = 0;
    load::LoadOptions options;
    Machine::Limits limits{};
    std::array<unsigned, treatments> weights{};
    std::size_t droppedFirst = 0;  // of the first connections so many are closed at once
    std::vector<Outage> outages;
    bool isSuspended = false;              // the machine, once while the load is measured
    std::chrono::microseconds latency{0};  // of each answer, at most
    std::size_t calmAt = 0;
    unsigned stepsWhileAsleepPerMille = 0;
    FaultRates faultsPerMille{};
};

}  // namespace simulation
