#include "sms_router/app/Deployment.h"

#include <algorithm>

#include <nio/base/Log.h>
#include <nio/sys/Kernel.h>
#include <nio/sys/select/Select.h>

#include "common/ServerOptions.h"
#include "common/http/HttpServer.h"
#include "sms_router/config/TlsChecks.h"

namespace router {

namespace {

std::string where(const ListenerConfig& config) {
    return "listener " + config.name + " (" + config.host + ":" + std::to_string(config.port) + ")";
}

// Or it is a new one: a socket that listens keeps its own.
bool keepsAliveAs(const RouterConfig& running, const ListenerConfig& listener) {
    return std::all_of(running.listeners.begin(), running.listeners.end(), [&](const auto& known) {
        const bool isSame = known.host == listener.host && known.port == listener.port;
        return !isSame || known.keepAlive == listener.keepAlive;
    });
}

// How many descriptors the dispatchers can watch: select has no place for higher numbers.
std::size_t watchableDescriptors(const nio::SelectorThreadGroup& group) {
    const std::size_t all = nio::kernel::descriptorLimit();
    if (group.selectorName() != nio::nameOf(nio::SelectorKind::select)) return all;
    return std::min<std::size_t>(all, nio::kernel::selectLimit);
}

std::shared_ptr<const smpp::SessionOptions> smscSession(const ConnectorConfig& connector,
                                                        const RouterConfig& config) {
    auto options = std::make_shared<smpp::SessionOptions>();
    options->side = smpp::Side::esme;
    // The connector keeps its window itself: it may change while binds are up.
    options->window = 100'000;
    options->interfaceVersion = connector.bind.interfaceVersion;
    options->reading = connector.strict ? smpp::Reading::strict : smpp::Reading::tolerant;
    options->timers.sessionInit =
        connector.outbindListen.empty() ? std::chrono::milliseconds(0) : config.timers.sessionInit;
    options->timers.enquireLink = connector.timers.enquireLink;
    options->timers.response = connector.timers.response;
    options->timers.pduRead = config.timers.pduRead;
    return options;
}

// Null: there is none.
EsmeListener::Tls tlsOf(const std::optional<TlsServerConfig>& config, const std::string& where,
                        std::vector<std::string>& mistakes) {
    if (!config) return nullptr;
    auto context = serverContext(*config);
    if (context) return std::move(context).value();
    mistakes.push_back(where + ": " + context.error().message());
    return nullptr;
}

}  // namespace

std::vector<std::string> Deployment::apply(const SharedConfig& config,
                                           EsmeListener::Refused refused) {
    std::vector<std::string> mistakes;
    const std::shared_ptr<const RouterConfig> next = withRunningIndices(*config, places_);
    if (next->connectors.size() > Directory::maxConnectors) {
        return {
            "too many different connectors since the start: restart to forget the removed ones"};
    }
    const Dialings dialings = makeDialings(*next, mistakes);
    std::vector<Opened> opened = openListeners(*next, mistakes);
    EsmeListener::Tls httpTls = next->http ? tlsOf(next->http->tls, "http", mistakes) : nullptr;
    const bool isHttpNew = openHttp(*next, mistakes);
    if (!mistakes.empty()) {
        drop(opened, isHttpNew);
        return mistakes;
    }
    try {
        directory_.publish(directory_.topologyOf(next), dialings);
    } catch (const std::exception& error) {
        rememberPlaces(*next);
        drop(opened, isHttpNew);
        return {error.what()};
    }
    dialings_ = dialings;
    httpTls_ = std::move(httpTls);
    http_.useTls(httpTls_);
    if (isHttpNew) startHttp(refused);
    http_.useWebhooks();
    takeListeners(*config, std::move(opened), refused);
    rememberPlaces(*next);
    return {};
}

// What was opened for a configuration that does not come into force.
void Deployment::drop(const std::vector<Opened>& opened, bool isHttpNew) {
    for (const Opened& each : opened) {
        if (each.fresh != nullptr) sockets_.forget(each.fresh->address());
    }
    if (isHttpNew) closeHttp();
}

void Deployment::closeHttp() {
    if (const auto address = http_.address()) sockets_.forget(*address);
    http_.close();
}

Deployment::Dialings Deployment::makeDialings(const RouterConfig& config,
                                              std::vector<std::string>& mistakes) {
    Dialings dialings;
    for (const ConnectorConfig& connector : config.connectors) {
        auto dialing = std::make_shared<SmscDialing>();
        dialings.push_back(connector.name.empty() ? nullptr : dialing);
        dialing->config = connector;
        dialing->pduLimits = {config.router.maxPduBytes, config.router.maxUnboundPduBytes};
        dialing->session = smscSession(connector, config);
        dialing->resolver = resolver_;
        if (!connector.tls) continue;
        const TlsClientConfig& tls = *connector.tls;
        auto context = clientContext(tls);
        if (!context) {
            mistakes.push_back("connector " + connector.name + ": " + context.error().message());
            continue;
        }
        dialing->certificateExpires = context.value()->expires();
        dialing->tls = std::move(context).value();
        dialing->tlsName = tls.serverName.empty() ? connector.host : tls.serverName;
    }
    return dialings;
}

bool Deployment::openHttp(const RouterConfig& config, std::vector<std::string>& mistakes) {
    if (!mistakes.empty() || !config.http || http_.address()) return false;
    const HttpConfig& http = *config.http;
    auto channel = sockets_.listen(http.host, http.port, apps::usualKeepAlive);
    const auto opened =
        channel ? http_.open(http, std::move(channel).value()) : nio::Result<void>(channel.error());
    if (opened) return true;
    mistakes.push_back("http (" + http.host + ":" + std::to_string(http.port) +
                       "): " + opened.error().message());
    return false;
}

void Deployment::startHttp(EsmeListener::Refused refused) {
    const auto failed = [refused = std::move(refused)](const nio::Error& why) {
        if (refused) return refused("http", why);
        nio::log(nio::LogLevel::error, "http: " + why.message());
    };
    if (http_.start(group_, failed)) return;
    failed(nio::Error(nio::make_error_code(nio::Errc::stopped)));
}

// Also of those that are gone: one that comes back finds what it knew. And of those that were made
// for a configuration that came to nothing: their places are nobody else's.
void Deployment::rememberPlaces(const RouterConfig& config) {
    places_.connectors.resize(directory_.connectorCount());
    for (std::size_t i = 0; i < places_.connectors.size(); ++i) {
        const std::string& name = config.connectors[i].name;
        if (!name.empty()) places_.connectors[i].name = name;
    }
}

EsmeListener* Deployment::listenerAt(const ListenerConfig& config) const {
    const auto found = std::find_if(listeners_.begin(), listeners_.end(), [&](const auto& known) {
        const ListenerConfig& own = known->config();
        const bool sameName = own.name == config.name;
        return !known->isDead() && own.host == config.host && own.port == config.port &&
               (own.port != 0 || sameName);
    });
    return found == listeners_.end() ? nullptr : found->get();
}

std::vector<Deployment::Opened> Deployment::openListeners(const RouterConfig& config,
                                                          std::vector<std::string>& mistakes) {
    std::vector<Opened> all;
    for (const ListenerConfig& listener : config.listeners) {
        Opened opened;
        const std::size_t before = mistakes.size();
        opened.tls = tlsOf(listener.tls, where(listener), mistakes);
        if (mistakes.size() > before) continue;
        opened.kept = listenerAt(listener);
        if (opened.kept == nullptr) {
            auto fresh = openListener(listener, opened.tls);
            if (!fresh) {
                mistakes.push_back(where(listener) + ": " + fresh.error().message());
                continue;
            }
            opened.fresh = std::move(fresh).value();
        }
        all.push_back(std::move(opened));
    }
    return all;
}

nio::Result<std::unique_ptr<EsmeListener>> Deployment::openListener(const ListenerConfig& config,
                                                                    const EsmeListener::Tls& tls) {
    auto channel = sockets_.listen(config.host, config.port, config.keepAlive);
    if (!channel) return channel.error();
    return EsmeListener::open(config, std::move(channel).value(), tls, group_, shards_);
}

void Deployment::takeListeners(const RouterConfig& config, std::vector<Opened> opened,
                               const EsmeListener::Refused& refused) {
    const std::vector<std::size_t> limits =
        connectionLimits(config, watchableDescriptors(group_), group_.size());
    std::vector<std::unique_ptr<EsmeListener>> now;
    std::vector<EsmeListener*> fresh;
    for (Opened& one : opened) {
        if (one.fresh != nullptr) {
            fresh.push_back(one.fresh.get());
            now.push_back(std::move(one.fresh));
            continue;
        }
        one.kept->useTls(one.tls);
        const auto held = std::find_if(listeners_.begin(), listeners_.end(),
                                       [&](const auto& known) { return known.get() == one.kept; });
        now.push_back(std::move(*held));
    }
    for (const auto& left : listeners_) {
        if (left == nullptr) continue;
        sockets_.forget(left->address());
        left->close();
    }
    listeners_ = std::move(now);
    for (std::size_t i = 0; i < limits.size(); ++i) {
        listeners_[i]->limitTo(limits[i]);
        listeners_[i]->limitEachSource(config.listeners[i].maxConnectionsPerSource);
        listeners_[i]->readStrictly(config.listeners[i].strict);
    }
    for (EsmeListener* each : fresh) each->start(refused);
}

std::vector<CertificateRow> Deployment::certificates() const {
    std::vector<CertificateRow> rows;
    for (const auto& listener : listeners_) {
        const EsmeListener::Tls tls = listener->tls();
        const auto expires = tls == nullptr ? std::nullopt : tls->expires();
        if (expires) rows.push_back({listener->config().name, *expires});
    }
    const auto httpExpires = httpTls_ == nullptr ? std::nullopt : httpTls_->expires();
    if (httpExpires) rows.push_back({"http", *httpExpires});
    for (const auto& dialing : dialings_) {
        if (dialing == nullptr || !dialing->certificateExpires) continue;
        rows.push_back({dialing->config.name, *dialing->certificateExpires, true});
    }
    return rows;
}

void Deployment::closeListeners() {
    for (const auto& listener : listeners_) {
        sockets_.forget(listener->address());
        listener->close();
    }
    closeHttp();
    http_.endWebhooks();
}

std::vector<std::string> Deployment::fixedChanges(const RouterConfig& next,
                                                  const RouterConfig& running) {
    std::vector<std::string> changes;
    const auto look = [&](bool same, const char* what) {
        if (!same) changes.push_back(std::string(what) + " takes effect after a restart");
    };
    look(next.router.threads == running.router.threads, "router.threads");
    look(next.router.selector == running.router.selector, "router.selector");
    look(next.router.memoryBudget == running.router.memoryBudget, "router.memory_budget");
    look(next.router.moderation == running.router.moderation, "router.moderation");
    look(next.router.stallLimit == running.router.stallLimit, "router.stall_limit");
    look(next.router.flightRecords == running.router.flightRecords, "router.flight_records");
    look(next.store.path == running.store.path, "store.path");
    look(next.store.durability == running.store.durability, "store.durability");
    look(next.records.path == running.records.path, "records.path");
    look(next.admin.host == running.admin.host && next.admin.port == running.admin.port &&
             next.admin.enabled == running.admin.enabled && next.admin.token == running.admin.token,
         "admin");
    look(!running.http || next.http == running.http, "http");
    for (const ListenerConfig& listener : next.listeners) {
        look(keepsAliveAs(running, listener), ("listener." + listener.name + ".keepalive").c_str());
    }
    return changes;
}

std::vector<std::string> Deployment::laterChanges(const RouterConfig& next,
                                                  const RouterConfig& before) {
    std::vector<std::string> changes;
    const auto look = [&](bool same, const char* what) {
        if (!same) changes.push_back(std::string(what) + ": for new connections only");
    };
    look(next.timers == before.timers, "timers");
    look(next.router.maxPduBytes == before.router.maxPduBytes, "router.max_pdu_bytes");
    look(next.router.maxUnboundPduBytes == before.router.maxUnboundPduBytes,
         "router.max_unbound_pdu_bytes");
    return changes;
}

namespace {

// Where each connector of `next` goes.
std::vector<std::size_t> placesOf(const RouterConfig& next, const RouterConfig& running) {
    std::vector<std::size_t> places;
    std::size_t free = running.connectors.size();
    for (const ConnectorConfig& connector : next.connectors) {
        std::size_t place = 0;
        while (place < running.connectors.size() &&
               running.connectors[place].name != connector.name) {
            ++place;
        }
        places.push_back(place < running.connectors.size() ? place : free++);
    }
    return places;
}

void move(std::optional<std::size_t>& index, const std::vector<std::size_t>& places) {
    if (index) index = places[*index];
}

}  // namespace

std::shared_ptr<const RouterConfig> withRunningIndices(const RouterConfig& next,
                                                       const RouterConfig& running) {
    auto moved = std::make_shared<RouterConfig>(next);
    const std::vector<std::size_t> places = placesOf(next, running);
    moved->connectors.assign(running.connectors.size(), ConnectorConfig{});
    for (std::size_t i = 0; i < places.size(); ++i) {
        if (places[i] >= moved->connectors.size()) moved->connectors.resize(places[i] + 1);
        moved->connectors[places[i]] = next.connectors[i];
        moved->connectorByName[next.connectors[i].name] = places[i];
    }
    for (GroupConfig& group : moved->groups) {
        for (auto& tier : group.tiers) {
            for (std::size_t& member : tier) member = places[member];
        }
    }
    for (RouteConfig& route : moved->routes) move(route.connector, places);
    for (MoRouteConfig& route : moved->moRoutes) {
        for (std::size_t& connector : route.connectors) connector = places[connector];
    }
    return moved;
}

namespace {

// Standard streams, the store, records, the selectors of threads without connections, look-ups.
constexpr std::size_t ofTheRouter = 64;
// A selector, and what wakes it.
constexpr std::size_t ofADispatcher = 4;
// Its socket, and the reserve of its Acceptor.
constexpr std::size_t ofAListener = 2;

std::size_t neededBy(const ConnectorConfig& connector) {
    const std::size_t door = connector.outbindListen.empty() ? 0 : ofAListener;
    const BindConfig& bind = connector.bind;
    return bind.transceivers + bind.transmitters + bind.receivers + door;
}

// Of the admin interface also where it is off: that takes effect after a restart.
std::size_t neededBy(const RouterConfig& config, std::size_t dispatchers) {
    const std::size_t admin = apps::HttpServerOptions{}.maxConnections + ofAListener;
    std::size_t needed = ofTheRouter + dispatchers * ofADispatcher + admin;
    if (config.http) needed += config.http->maxConnections + ofAListener;
    for (const AccountConfig& account : config.accounts) {
        if (account.http.webhook.isOn()) needed += account.deliverWindow;
    }
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
