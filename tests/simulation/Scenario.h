// What one run is made of, drawn from its seed.
//
// Thread: a value.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>

#include <nio/connection/StreamOptions.h>
#include <nio/group/Rebalancer.h>
#include <nio/loop/Drain.h>
#include <nio/net/Acceptor.h>

#include "common/Framing.h"
#include "simulation/Faults.h"
#include "simulation/Machine.h"

namespace simulation {

struct Scenario {
    static Scenario drawn(std::uint64_t seed);
    // Of the engine that the program is about, and what is its own: engines/.
    void drawEngine();
    void drawCrossing();

    std::uint64_t seed = 0;
    std::size_t dispatchers = 1;
    std::size_t peers = 1;
    apps::Framing framing = apps::Framing::raw;
    // Where nio::on stands in the pipelines of the server.
    enum class Crossing { nowhere, beforeTheFraming, behindTheFraming };
    Crossing crossing = Crossing::nowhere;
    Machine::Limits limits{};
    nio::SelectorOptions selector{};
    nio::StreamOptions stream{};
    nio::AcceptorOptions acceptor{};
    nio::DrainOptions drain{};
    std::optional<nio::RebalanceOptions> rebalance{};
    std::chrono::microseconds moderation{0};
    std::size_t maxTasksPerTurn = 4096;
    std::size_t maxQueuedTasks = 1'000'000;
    std::size_t largestStream = 4096;
    unsigned wakeUpsForNothingPerMille = 0;  // of dispatchers that sleep
    unsigned movesPerMille = 0;
    unsigned postsPerMille = 0;
    unsigned stepsWhileAsleepPerMille = 0;
    // The step in which the server is told to stop, whatever goes on; far away: when all is done.
    std::size_t drainAt = 0;
    // The step after which no fault strikes any more, so that everything must come to an end.
    std::size_t calmAt = 0;
    FaultRates faultsPerMille{};

    // What waits for the kernel can be no more than this. What was handed over to a ring may come
    // back, when more has been read already.
    std::size_t mostPending() const {
        const std::size_t reads = selector.kind == nio::SelectorKind::uring ? 3 : 2;
        return stream.outputHighMark + reads * selector.receiveBufferBytes + 2 * maximumPacket;
    }
    bool hasShortQueues() const { return maxQueuedTasks <= longestShortQueue; }
    static constexpr std::size_t longestShortQueue = 32;
    static constexpr std::size_t maximumPacket = 512;
};

}  // namespace simulation
