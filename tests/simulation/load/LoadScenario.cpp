#include "simulation/load/LoadScenario.h"

#include <algorithm>

namespace simulation {

namespace {

using std::chrono::milliseconds;

milliseconds drawTime(Random& random, std::size_t least, std::size_t most) {
    return milliseconds(random.between(least, most));
}

void drawLife(Random& random, load::LoadOptions& options) {
    if (random.chance(200)) return;
    if (random.chance(600)) options.lifetime.messages = random.between(1, 6);
    if (options.lifetime.messages == 0 || random.chance(300)) {
        options.lifetime.time = drawTime(random, 1, 120);
    }
    const std::array<const char*, 4> ways{"clean", "rst", "half", "clean:1,rst:1,half:1"};
    options.closing = load::CloseMix::parse(ways[random.below(ways.size())]).orThrow();
}

load::LoadOptions drawOptions(Random& random, std::uint64_t seed) {
    load::LoadOptions options;
    options.seed = seed;
    options.selector = nio::SelectorKind::epoll;
    options.connections = random.between(1, 6);
    options.threads = random.between(1, 3);
    for (std::size_t i = 0; i < options.connections; ++i) {
        const std::string address = "127.0.1." + std::to_string(i + 1);
        options.sources.push_back(nio::SocketAddress::numeric(address, 0).orThrow());
    }
    options.framing = random.chance(500) ? apps::Framing::raw : apps::Framing::length;
    options.size = load::SizeDistribution(random.chance(300) ? 8 : random.between(16, 200));
    options.pipeline = random.between(1, 3);
    options.duration = random.chance(100) ? drawTime(random, 600, 1000) : drawTime(random, 20, 200);
    options.warmup = random.chance(500) ? milliseconds(0) : drawTime(random, 1, 50);
    options.answerTimeout = drawTime(random, 40, 300);
    if (random.chance(300)) options.connectRate = static_cast<double>(random.between(20, 500));
    if (random.chance(400)) {
        options.rate = load::RateCurve::constant(static_cast<double>(random.between(10, 300)));
        if (random.chance(500)) options.arrivals = load::Arrivals::poisson;
        options.reconnects = random.chance(700);
    } else if (random.chance(400)) {
        options.think = drawTime(random, 1, 100);
    }
    drawLife(random, options);
    if (random.chance(200)) {
        options.messages = random.between(options.connections, 60);
        options.warmup = milliseconds(0);
    }
    options.isOneWay = random.chance(200);
    return options;
}

void drawServer(Random& random, LoadScenario& drawn) {
    drawn.weights[static_cast<std::size_t>(Treatment::echo)] = 10;
    for (std::size_t i = 1; i < treatments; ++i) {
        if (random.chance(250)) drawn.weights[i] = random.chance(200) ? 100 : 5;
    }
    if (random.chance(300)) drawn.weights = {1};
    if (random.chance(300)) drawn.droppedFirst = random.between(1, 8);
    for (std::size_t left = random.chance(300) ? random.between(1, 2) : 0; left > 0; --left) {
        const milliseconds from(random.below(200));
        drawn.outages.push_back({from, from + drawTime(random, 1, 200), random.chance(500)});
    }
}

}  // namespace

LoadScenario LoadScenario::drawn(std::uint64_t seed) {
    Random random(seed ^ 0x10adce);
    LoadScenario drawn;
    drawn.seed = seed;
    drawn.options = drawOptions(random, seed);
    drawn.limits.client = {64 + random.anySize(8192), 64 + random.anySize(8192)};
    drawn.limits.server = {64 + random.anySize(8192), 64 + random.anySize(8192)};
    drawServer(random, drawn);
    drawn.latency = std::chrono::microseconds(random.between(2000, 20'000));
    drawn.calmAt = random.between(1000, 20'000);
    if (random.chance(500)) drawn.stepsWhileAsleepPerMille = 300;
    drawFaults(random, drawn.faultsPerMille, {.none = 400, .most = 200, .mostBreaking = 10});
    drawn.isSuspended = random.chance(200);
    return drawn;
}

bool LoadScenario::isCalm() const {
    const auto isZero = [](unsigned each) { return each == 0; };
    constexpr std::size_t roomy = 1024;
    const bool inTime = options.answerTimeout > 4 * latency &&
                        std::min({limits.client.send, limits.client.receive, limits.server.send,
                                  limits.server.receive}) >= roomy;
    return inTime && std::all_of(weights.begin() + 1, weights.end(), isZero) && droppedFirst == 0 &&
           outages.empty() && std::all_of(faultsPerMille.begin(), faultsPerMille.end(), isZero);
}

}  // namespace simulation
