#include "simulation/Scenario.h"

#include <algorithm>

namespace simulation {

namespace {

using std::chrono::milliseconds;

milliseconds drawTime(Random& random, std::size_t least, std::size_t most) {
    return milliseconds(random.between(least, most));
}

apps::Framing drawFraming(Random& random) {
    constexpr std::array kinds{apps::Framing::raw, apps::Framing::stxEtx, apps::Framing::lines,
                               apps::Framing::length};
    return random.chance(400) ? apps::Framing::raw : kinds[random.below(kinds.size())];
}

Connection::Buffers drawBuffers(Random& random) {
    return {16 + random.anySize(16 * 1024), 16 + random.anySize(16 * 1024)};
}

nio::StreamOptions drawStream(Random& random) {
    nio::StreamOptions stream;
    stream.outputHighMark = 1 + random.anySize(16 * 1024);
    if (random.chance(300)) stream.idleTimeout = drawTime(random, 20, 3000);
    stream.lingerTimeout = drawTime(random, 50, 5000);
    stream.movable = true;
    stream.maxPacketsPerTurn = random.between(1, 64);
    return stream;
}

nio::AcceptorOptions drawAcceptor(Random& random) {
    nio::AcceptorOptions acceptor;
    acceptor.listen.backlog = static_cast<int>(random.between(1, 16));
    acceptor.maxAcceptsPerTurn = random.between(1, 8);
    if (random.chance(200)) acceptor.maxConnections = random.between(1, 6);
    acceptor.backOff = drawTime(random, 1, 200);
    return acceptor;
}

nio::DrainOptions drawDrain(Random& random) {
    nio::DrainOptions drain;
    drain.deadline = drawTime(random, 200, 5000);
    drain.quietPeriod = drawTime(random, 1, 100);
    drain.readBudgetBytes = 1 + random.anySize(64 * 1024);
    return drain;
}

nio::RebalanceOptions drawRebalance(Random& random) {
    nio::RebalanceOptions rebalance;
    rebalance.interval = drawTime(random, 20, 500);
    rebalance.difference = static_cast<double>(random.between(1, 50)) / 100;
    rebalance.maxMoves = random.between(1, 8);
    return rebalance;
}

}  // namespace

Scenario Scenario::drawn(std::uint64_t seed) {
    Random random(seed);
    Scenario drawn;
    drawn.seed = seed;
    drawn.dispatchers = random.between(1, 4);
    drawn.peers = 1 + random.anySize(15);
    drawn.framing = drawFraming(random);
    drawn.limits.client = drawBuffers(random);
    drawn.limits.server = drawBuffers(random);
    if (random.chance(150)) drawn.limits.descriptors = 12 + random.below(8);
    drawn.selector.receiveBufferBytes = 1 + random.anySize(8 * 1024);
    drawn.selector.maxSelectedKeys = random.between(1, 32);
    drawn.stream = drawStream(random);
    drawn.acceptor = drawAcceptor(random);
    drawn.drain = drawDrain(random);
    if (random.chance(300)) drawn.maxTasksPerTurn = random.between(1, 8);
    if (random.chance(200)) drawn.maxQueuedTasks = random.between(4, longestShortQueue);
    const std::size_t narrowest =
        std::min({drawn.limits.client.send, drawn.limits.client.receive, drawn.limits.server.send,
                  drawn.limits.server.receive, 4 * drawn.selector.receiveBufferBytes});
    drawn.largestStream = std::min<std::size_t>(64 * narrowest, 64 * 1024);
    if (random.chance(600)) drawn.movesPerMille = static_cast<unsigned>(random.between(1, 60));
    if (random.chance(600)) drawn.postsPerMille = static_cast<unsigned>(random.between(1, 100));
    if (random.chance(400)) drawn.wakeUpsForNothingPerMille = 200;
    if (random.chance(600)) drawn.stepsWhileAsleepPerMille = 300;
    drawn.drainAt = random.chance(400) ? random.between(1, 1500) : SIZE_MAX;
    drawn.calmAt = random.between(1000, 4000);
    drawFaults(random, drawn.faultsPerMille, {.none = 150, .most = 300, .mostBreaking = 20},
               static_cast<std::size_t>(Fault::clockStep) + 1);
    if (random.chance(250)) drawn.rebalance = drawRebalance(random);
    if (random.chance(400)) {
        drawn.moderation = std::chrono::microseconds(1 + random.anySize(10'000));
    }
    drawn.drawEngine();
    drawn.drawCrossing();
    return drawn;
}

// From numbers of its own: all else is as it is without nio::on.
void Scenario::drawCrossing() {
    Random random(seed ^ 0x0c05);
    stream.crossingHighMark = 1 + random.anySize(16 * 1024);
    if (!random.chance(300)) return;
    crossing = random.chance(500) ? Crossing::beforeTheFraming : Crossing::behindTheFraming;
}

}  // namespace simulation
