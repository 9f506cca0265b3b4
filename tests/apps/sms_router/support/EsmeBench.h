// One dispatcher of the router with one account, "esme1" (password "secret1"), put together by
// hand, and its ESMEs as raw connections. Who takes what they submit is for the test to say.
//
// Thread: that of the test, which makes the turns.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "apps/sms_router/support/RawSmpp.h"
#include "sms_router/delivery/AccountDesk.h"
#include "sms_router/ingress/EsmeLink.h"
#include "sms_router/ingress/PasswordDesk.h"
#include "sms_router/session/LoginThrottle.h"

namespace router {

inline StoreConfig storeInMemory() {
    StoreConfig config;
    config.durability = Durability::memory;
    return config;
}

class EsmeBench {
  public:
    explicit EsmeBench(const StoreConfig& storeConfig = storeInMemory(),
                       std::vector<Egress*> takers = {})
        : store(storeConfig), gates(std::move(takers)) {
        account.systemId = "esme1";
        account.password = PasswordHash::of("secret1", PasswordHash::Cost::cheap);
    }
    EsmeBench(const EsmeBench&) = delete;
    EsmeBench& operator=(const EsmeBench&) = delete;
    ~EsmeBench() {
        dispatcher->requestClose({std::chrono::milliseconds(0)});
        while (dispatcher.turn()) {
        }
        store.close();
    }

    // With the configuration as it is then.
    AccountDesk& start() {
        config.accounts = {account};
        config.accountByName["esme1"] = 0;
        config.connectors.resize(std::max(config.connectors.size(), gates.size()));
        const Services services{store, records, passwords, logins, board, deliveries};
        auto shard = std::make_unique<Shard>(*dispatcher, services, topology(),
                                             MessageIdMaker(4095, 1'700'000'000));
        desk.emplace(known, *shard);
        known.setDesk(*desk);
        shards.add(std::move(shard));
        use();
        return *desk;
    }
    // Puts `config`, `account` and `gates` in force.
    void use() {
        config.accounts = {account};
        inTurn([this] {
            nio::onDispatcher.assertCurrent();
            desk->useLimitsNow(account);
            EsmeLink::useNow(shards[0], topology());
        });
    }

    template <class F>
    void inTurn(F&& f) {
        dispatcher.inTurn([&] {
            nio::onDispatcher.assertCurrent();
            f();
        });
    }

    // An ESME that is not bound yet.
    std::unique_ptr<RawSmpp> connect() {
        return connect(support::makeLink(nio::SocketAddress::Family::ipv4), {});
    }
    std::unique_ptr<RawSmpp> connect(support::Link link, apps::Places::Place place) {
        const nio::SocketAddress peer = link.channel.peerAddress().orThrow();
        auto esme = std::make_shared<EsmeLink>(shards, shards[0].sharedTopology()->esmeSession,
                                               peer, false);
        lastLink = esme;
        esme->take(std::move(place));
        dispatcher.add(SmppLink::makeHandler(std::move(link.channel), esme, {10'000}),
                       nio::Interest::read);
        return std::make_unique<RawSmpp>(std::move(link.peer), dispatcher);
    }
    // As "00000009" (transceiver), "00000001" (receiver) or "00000002" (transmitter), with 3.4.
    std::unique_ptr<RawSmpp> bind(const std::string& command = "00000009") {
        std::unique_ptr<RawSmpp> peer = connect();
        peer->send("00000023" + command +
                   "00000000 00000001 'esme1' 00 'secret1' 00 00 34 00 00 00");
        EXPECT_EQ(peer->next(), written("00000019 8" + command.substr(1) +
                                        "00000000 00000001 'nio' 00 0210 0001 34"));
        return peer;
    }

    SharedTopology topology() {
        auto made = std::make_shared<Topology>();
        made->config = std::make_shared<const RouterConfig>(config);
        made->accounts = {&known};
        made->connectors = gates;
        for (std::size_t i = 0; i < gates.size(); ++i) {
            made->connectorByNumber[static_cast<std::uint32_t>(i + 1)] = gates[i];
        }
        auto session = std::make_shared<smpp::SessionOptions>();
        session->systemId = "nio";
        session->window = 100'000;
        session->timers.response = config.timers.response;
        made->esmeSession = session;
        return made;
    }

    // Of the account. In a turn.
    const StatusCounts& refusedOf(smpp::Command request) {
        return shards[0].figures().refusedBy[&known].of(request);
    }

    AccountConfig account;
    RouterConfig config;
    support::TestDispatcher dispatcher;
    std::atomic<std::uint64_t> deliveries{1};
    ConnectorBoard board{8};
    Store store;
    RecordLog records{RecordsConfig{}};
    PasswordDesk passwords;
    LoginThrottle logins{std::chrono::milliseconds(0)};
    Account known{"esme1"};
    std::optional<AccountDesk> desk;
    ShardSet shards;
    std::shared_ptr<EsmeLink> lastLink;
    std::vector<Egress*> gates;  // what takes what is submitted, by the index of its connector
};

}  // namespace router
