#include "simulation/router/RouterScenario.h"

#include <algorithm>

#include "sms_router/config/ApiKey.h"

namespace simulation {

namespace {

using std::chrono::milliseconds;

Connection::Buffers drawBuffers(Random& random) {
    return {64 + random.anySize(16 * 1024), 64 + random.anySize(16 * 1024)};
}

// One for all runs: a salt is not drawn from a seed, and hashing takes its time.
const router::PasswordHash& password() {
    static const router::PasswordHash hash =
        router::PasswordHash::of("secret", router::PasswordHash::Cost::cheap);
    return hash;
}

void add(router::RouterConfig& config, const router::ConnectorConfig& connector) {
    config.connectorByName[connector.name] = config.connectors.size();
    config.connectors.push_back(connector);
}

}  // namespace

RouterScenario RouterScenario::drawn(std::uint64_t seed) {
    Random random(seed ^ 0x60f7e4);
    RouterScenario drawn;
    drawn.seed = seed;
    drawn.dispatchers = random.between(1, 3);
    drawn.esmes = random.between(1, mostEsmes);
    drawn.smscs = random.between(1, mostSmscs);
    drawn.binds = random.between(1, 2);
    drawn.window = random.between(1, 12);
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
    drawFaults(random, drawn.faultsPerMille, {.none = 250, .most = 200, .mostBreaking = 10});
    if (random.chance(500)) drawn.questions = random.between(1, 12);
    drawn.reloadsPerMille = random.chance(300) ? 0 : 500;
    if (random.chance(200)) drawn.switchesPerMille = 300;
    if (random.chance(300)) drawn.mistakesPerMille = 300;
    drawn.editions.push_back({.accountWindow = random.between(1, 12)});
    while (drawn.editions.size() <= drawn.questions) {
        drawn.editions.push_back(drawn.drawNext(random));
    }
    if (random.chance(250)) drawn.unbindsPerMille = 50;
    if (random.chance(400)) drawn.originatesPerMille = 400;
    if (random.chance(250)) drawn.notNowPerMille = 200;
    if (random.chance(250)) drawn.latePerMille = random.chance(500) ? 1000 : 200;
    // Who has been removed does not know its messages any more.
    const auto lacksOne = [](const Edition& edition) { return edition.lacksConnector.has_value(); };
    const auto& all = drawn.editions;
    drawn.isOneSmsc =
        drawn.smscs > 1 && random.chance(500) && std::none_of(all.begin(), all.end(), lacksOne);
    if (random.chance(400)) drawn.receivers = random.between(1, drawn.esmes);
    if (random.chance(500)) drawn.oddPerMille = random.chance(500) ? 1000 : 200;
    for (std::uint8_t& version : drawn.versions) {
        const bool isOld = drawn.oddPerMille > 0 && random.chance(400);
        if (isOld) version = static_cast<std::uint8_t>(random.below(0x34));
        if (isOld && random.chance(300)) version = random.chance(500) ? 0x00 : 0x33;
    }
    if (drawn.oddPerMille > 0) drawn.alertsPerMille = 100;
    if (random.chance(500)) drawn.drawWebs(random);
    drawn.drawModeration();
    return drawn;
}

// From numbers of its own: all else is as it is without moderation. None, short, or up to the
// longest.
void RouterScenario::drawModeration() {
    Random random(seed ^ 0x30de7a);
    const std::size_t kind = random.below(3);
    if (kind == 1) moderation = std::chrono::microseconds(random.between(1, 300));
    if (kind == 2) moderation = std::chrono::microseconds(random.between(300, 10'000));
}

// Behind all others: what they draw is the same with and without HTTP.
void RouterScenario::drawWebs(Random& random) {
    constexpr std::size_t kinds = static_cast<std::size_t>(Hook::absent) + 1;
    webs = random.between(1, mostWebs);
    for (Hook& hook : hooks) {
        hook = static_cast<Hook>(random.below(random.chance(600) ? 2 : kinds));
    }
    websHavePasswords = random.chance(150);
    if (random.chance(300)) hangsUpPerMille = 3;
    if (random.chance(600)) receiptsPerMille = std::max(receiptsPerMille, 800U);
    for (std::size_t i = 1; i < editions.size() && !websHavePasswords; ++i) {
        for (std::size_t web = 0; web < webs; ++web) {
            editions[i].lacksAccount[mostEsmes + web] = random.chance(70);
        }
    }
}

RouterScenario::Edition RouterScenario::drawNext(Random& random) const {
    Edition next = editions.back();
    next.accountWindow = random.between(1, 12);
    next.shift = random.below(smscs);
    for (std::size_t& generation : next.binds) generation += random.below(2);
    for (std::size_t i = 0; i < mostEsmes; ++i) next.lacksAccount[i] = random.chance(150);
    next.lacksConnector.reset();
    if (smscs > 1 && random.chance(150)) next.lacksConnector = random.below(smscs);
    next.isReversed = random.chance(500);
    next.hasUnreachable = random.chance(300);
    next.hasAnotherPort = random.chance(300);
    return next;
}

std::size_t RouterScenario::connectorOf(std::size_t account, const Edition& now) const {
    const std::size_t smsc = (account + now.shift) % smscs;
    return now.lacksConnector == smsc ? (smsc + 1) % smscs : smsc;
}

void RouterScenario::addConnectors(router::RouterConfig& config, const Edition& now) const {
    router::ConnectorConfig connector;
    connector.host = "127.0.0.1";
    connector.bind.systemId = "router";
    connector.bind.transceivers = binds;
    connector.window = window;
    connector.queueTime += longestWait();
    if (isOneSmsc) connector.smsc = "one";
    if (now.hasUnreachable) {
        connector.name = "unreachable";
        connector.port = 3999;
        add(config, connector);
    }
    for (std::size_t i = 0; i < smscs; ++i) {
        const std::size_t smsc = now.isReversed ? smscs - 1 - i : i;
        if (now.lacksConnector == smsc) continue;
        connector.name = smscName(smsc);
        connector.port = smscAddress(smsc).port();
        connector.bind.systemType = "binds" + std::to_string(now.binds[smsc]);
        add(config, connector);
    }
}

void RouterScenario::addAccount(router::RouterConfig& config, std::size_t account,
                                const Edition& now) const {
    if (now.lacksAccount[account]) return;
    router::AccountConfig& added = config.accounts.emplace_back();
    added.systemId = nameOf(account);
    config.accountByName[added.systemId] = config.accounts.size() - 1;
    added.password = password();
    added.window = now.accountWindow;
    std::string problem;
    added.numbers.push_back(*router::AddressPattern::parse(numberOf(account), problem));
    router::RouteConfig& route = config.routes.emplace_back();
    route.name = "of-" + added.systemId;
    route.accounts = {added.systemId};
    route.connector = config.connectorByName.at(smscName(connectorOf(account, now)));
    if (!isWeb(account)) return;
    added.window = 1000;
    added.http.keys.push_back(router::apiKeyDigest(keyOf(account)));
    config.accountByKey[added.http.keys.front()] = config.accounts.size() - 1;
    const std::string url = "http://" + hookAddress(account).toString() + "/hook";
    added.http.webhook = {router::HttpUrl::parse(url).value(), secretOf(account), hookTimeout};
}

std::chrono::milliseconds RouterScenario::response() const {
    return router::RouterConfig().timers.response + longestWait();
}

router::SharedConfig RouterScenario::config(std::size_t edition) const {
    const Edition& now = editions[edition];
    router::RouterConfig config;
    config.router.threads = dispatchers;
    config.router.selector = nio::SelectorKind::epoll;
    config.router.moderation = moderation;
    config.store.durability = router::Durability::memory;
    // One message after the other, each answered as late as may be, is no failure.
    config.router.drainTimeout += longestWait();
    if (latePerMille > 0) config.router.drainTimeout += response();
    config.timers.response = response();
    config.router.noRoute = smpp::Status::invDstAdr;
    router::ListenerConfig& listener = config.listeners.emplace_back();
    listener.name = "esmes";
    listener.port = esmePort;
    config.admin = {"127.0.0.1", adminPort, questions > 0, "", ""};
    addConnectors(config, now);
    if (now.hasAnotherPort) {
        router::ListenerConfig& others = config.listeners.emplace_back();
        others.name = "others";
        others.port = otherPort;
    }
    if (webs > 0) config.http.emplace().port = httpPort;
    for (std::size_t i = 0; i < esmes; ++i) addAccount(config, i, now);
    for (std::size_t i = 0; i < webs; ++i) addAccount(config, mostEsmes + i, now);
    return std::make_shared<const router::RouterConfig>(std::move(config));
}

}  // namespace simulation
