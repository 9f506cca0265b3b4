// What one run of the router is made of, drawn from its seed.
//
// Thread: a value.
#pragma once

#include "simulation/Faults.h"
#include "simulation/Machine.h"
#include "sms_router/config/RouterConfig.h"

namespace simulation {

struct RouterScenario {
    static RouterScenario drawn(std::uint64_t seed);

    // Accounts esme0, esme1, …, connectors smsc0, …: each account has a route to one of them.
    router::SharedConfig config() const;
    std::size_t connectorOf(std::size_t account) const { return account % smscs; }

    static nio::SocketAddress smscAddress(std::size_t index) {
        return nio::SocketAddress::loopback4(static_cast<std::uint16_t>(3001 + index));
    }

    std::uint64_t seed = 0;
    std::size_t dispatchers = 1;
    std::size_t esmes = 1;
    std::size_t smscs = 1;
    std::size_t binds = 1;   // to each SMSC
    std::size_t window = 1;  // of a connector
    std::size_t accountWindow = 1;
    std::size_t messages = 1;  // of each ESME
    Machine::Limits limits{};
    unsigned refusalsPerMille = 0;  // by an SMSC, of messages
    unsigned receiptsPerMille = 0;  // for messages that it has accepted
    unsigned breaksPerMille = 0;    // connections that an SMSC resets, per PDU
    unsigned goesPerMille = 0;      // ESMEs that go in the middle
    bool waitsForBinds = true;      // ESMEs come when the SMSCs are bound
    std::size_t stopAt = SIZE_MAX;  // the step in which the router is told to stop
    std::size_t calmAt = 0;
    unsigned stepsWhileAsleepPerMille = 0;
    std::array<unsigned, faultKinds> faultsPerMille{};
};

}  // namespace simulation
