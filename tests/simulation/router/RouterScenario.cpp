#include "simulation/router/RouterScenario.h"

namespace simulation {

namespace {

using std::chrono::milliseconds;

Connection::Buffers drawBuffers(Random& random) {
    return {64 + random.anySize(16 * 1024), 64 + random.anySize(16 * 1024)};
}

void drawFaults(Random& random, std::array<unsigned, faultKinds>& rates) {
    const unsigned kindsPerMille = random.chance(250) ? 0 : random.chance(200) ? 1000 : 300;
    for (std::size_t kind = 0; kind < faultKinds; ++kind) {
        if (!random.chance(kindsPerMille)) continue;
        const auto fault = static_cast<Fault>(kind);
        const bool breaks = fault == Fault::receiveFails || fault == Fault::sendFails ||
                            fault == Fault::watchFails || fault == Fault::rearmFails ||
                            fault == Fault::clockStep;
        rates[kind] = static_cast<unsigned>(random.between(1, breaks ? 10 : 200));
    }
}

// One for all runs: a salt is not drawn from a seed, and hashing takes its time.
const router::PasswordHash& password() {
    static const router::PasswordHash hash =
        router::PasswordHash::of("secret", router::PasswordHash::Cost::cheap);
    return hash;
}

}  // namespace

RouterScenario RouterScenario::drawn(std::uint64_t seed) {
    Random random(seed ^ 0x60f7e4);
    RouterScenario drawn;
    drawn.seed = seed;
    drawn.dispatchers = random.between(1, 3);
    drawn.esmes = random.between(1, 4);
    drawn.smscs = random.between(1, 2);
    drawn.binds = random.between(1, 2);
    drawn.window = random.between(1, 12);
    drawn.accountWindow = random.between(1, 12);
    drawn.messages = 1 + random.anySize(24);
    drawn.limits.client = drawBuffers(random);
    drawn.limits.server = drawBuffers(random);
    if (random.chance(400)) drawn.refusalsPerMille = 200;
    if (random.chance(600)) drawn.receiptsPerMille = static_cast<unsigned>(random.below(1001));
    if (random.chance(200)) drawn.breaksPerMille = 30;
    if (random.chance(200)) drawn.goesPerMille = 300;
    drawn.waitsForBinds = random.chance(700);
    if (random.chance(300)) drawn.stopAt = random.between(1, 4000);
    drawn.calmAt = random.between(1000, 6000);
    if (random.chance(500)) drawn.stepsWhileAsleepPerMille = 300;
    drawFaults(random, drawn.faultsPerMille);
    return drawn;
}

router::SharedConfig RouterScenario::config() const {
    router::RouterConfig config;
    config.threads = dispatchers;
    config.selector = "epoll";
    config.store.durability = router::Durability::memory;
    config.noRoute = smpp::Status::invDstAdr;
    router::ListenerConfig& listener = config.listeners.emplace_back();
    listener.name = "esmes";
    listener.port = 2775;
    for (std::size_t i = 0; i < smscs; ++i) {
        router::ConnectorConfig& connector = config.connectors.emplace_back();
        connector.name = "smsc" + std::to_string(i);
        config.connectorByName[connector.name] = i;
        connector.host = "127.0.0.1";
        connector.port = smscAddress(i).port();
        connector.systemId = "router";
        connector.transceivers = binds;
        connector.window = window;
    }
    for (std::size_t i = 0; i < esmes; ++i) {
        router::AccountConfig& account = config.accounts.emplace_back();
        account.systemId = "esme" + std::to_string(i);
        config.accountByName[account.systemId] = i;
        account.password = password();
        account.window = accountWindow;
        router::RouteConfig& route = config.routes.emplace_back();
        route.name = "of-" + account.systemId;
        route.accounts = {account.systemId};
        route.connector = connectorOf(i);
    }
    return std::make_shared<const router::RouterConfig>(std::move(config));
}

}  // namespace simulation
