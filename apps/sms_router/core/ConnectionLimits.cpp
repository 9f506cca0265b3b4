#include "sms_router/core/ConnectionLimits.h"

#include <algorithm>

#include "common/http/HttpServer.h"

namespace router {

namespace {

// Standard streams, the store, records, the selectors of threads without connections, look-ups.
constexpr std::size_t ofTheRouter = 64;
// A selector, and what wakes it.
constexpr std::size_t ofADispatcher = 4;
// Its socket, and the reserve of its Acceptor.
constexpr std::size_t ofAListener = 2;

std::size_t neededBy(const ConnectorConfig& connector) {
    const std::size_t door = connector.outbindListen.empty() ? 0 : ofAListener;
    return connector.transceivers + connector.transmitters + connector.receivers + door;
}

// Of the admin interface also where it is off: that takes effect after a restart.
std::size_t neededBy(const RouterConfig& config, std::size_t dispatchers) {
    const std::size_t admin = apps::HttpServerOptions{}.maxConnections + ofAListener;
    std::size_t needed = ofTheRouter + dispatchers * ofADispatcher + admin;
    for (const ConnectorConfig& connector : config.connectors) needed += neededBy(connector);
    for (const ListenerConfig& listener : config.listeners) {
        needed += ofAListener + listener.maxConnections;
    }
    return needed;
}

}  // namespace

std::vector<std::size_t> connectionLimits(const RouterConfig& config, std::size_t descriptors,
                                          std::size_t dispatchers) {
    std::vector<std::size_t> limits;
    for (const ListenerConfig& listener : config.listeners) {
        limits.push_back(listener.maxConnections);
    }
    const auto sharing = static_cast<std::size_t>(std::count(limits.begin(), limits.end(), 0));
    if (sharing == 0) return limits;
    const std::size_t needed = neededBy(config, dispatchers);
    const std::size_t left = descriptors > needed ? descriptors - needed : 0;
    const std::size_t each = std::max(left, descriptors / 4) / sharing;
    std::replace(limits.begin(), limits.end(), std::size_t{0}, std::max<std::size_t>(each, 1));
    return limits;
}

}  // namespace router
