// The scenarios: what a server and its clients go through while one call fails.
//
// Thread: values.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <nio/connection/StreamOptions.h>
#include <nio/loop/Drain.h>
#include <nio/net/Acceptor.h>

#include "common/Framing.h"
#include "torture/Client.h"

namespace torture {

struct Scenario {
    static constexpr std::size_t never = SIZE_MAX;

    std::string name;
    nio::SelectorKind engine = nio::SelectorKind::epoll;
    std::size_t dispatchers = 1;
    apps::Framing framing = apps::Framing::raw;
    simulation::Machine::Limits limits{};
    nio::StreamOptions stream{};
    nio::AcceptorOptions acceptor{};
    nio::DrainOptions drain{};
    std::vector<Client::Script> clients{};
    // By a Connector, so many lines.
    std::size_t connectsWithBytes = 0;
    bool moves = false;         // every connection, in every round
    bool crosses = false;       // nio::on, and a coroutine that goes on to other dispatchers
    std::size_t storms = 0;     // tasks in each of the first rounds
    bool asks = false;          // each of these tasks asks another dispatcher
    bool hearsSignals = false;  // a SignalHandler is there
    std::size_t drainInRound = never;
    std::size_t mayTurnAway = 0;  // clients, for want of descriptors
};

const std::vector<Scenario>& scenarios();
const Scenario* scenarioNamed(const char* name);

}  // namespace torture
