// The router's dispatchers and who stands on them, put together by hand and without threads: the
// test makes the turns.
//
// Thread: that of the test.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include <nio/group/SelectorThreadGroup.h>

#include "sms_router/app/Deployment.h"
#include "sms_router/app/Directory.h"
#include "sms_router/ingress/PasswordDesk.h"
#include "sms_router/session/LoginThrottle.h"

namespace router {

class CoreBench {
  public:
    explicit CoreBench(StoreConfig storeConfig = inMemory(), std::size_t connectors = 64,
                       std::size_t dispatchers = 2, nio::SelectorThreadOptions thread = {},
                       ListeningSockets sockets = {})
        : board(connectors),
          store(storeConfig),
          group(options(dispatchers, std::move(thread))),
          directory((makeShards(), shards), store, board),
          deployment(directory, group, shards, std::move(sockets)) {}
    CoreBench(const CoreBench&) = delete;
    CoreBench& operator=(const CoreBench&) = delete;
    ~CoreBench() {
        group.requestClose({std::chrono::milliseconds(0)});
        // All of them by turns: a group waits for its last listener.
        for (bool running = true; running;) {
            running = false;
            for (std::size_t i = 0; i < group.size(); ++i) {
                running = group[i].turn(std::chrono::milliseconds(0)) || running;
            }
        }
        store.close();
    }

    static StoreConfig inMemory() {
        StoreConfig config;
        config.durability = Durability::memory;
        return config;
    }

    void turn() {
        for (int i = 0; i < 3; ++i) {
            for (std::size_t d = 0; d < group.size(); ++d) {
                group[d].turn(std::chrono::milliseconds(0));
            }
        }
    }
    // Inside a turn of that dispatcher.
    template <class F>
    void on(nio::SelectorThread& thread, F&& f) {
        bool ran = false;
        ASSERT_TRUE(thread.invokeLater([&] {
            nio::onDispatcher.assertCurrent();
            f();
            ran = true;
        }));
        while (!ran) thread.turn(std::chrono::milliseconds(0));
    }

    ConnectorBoard board;
    Store store;
    RecordLog records{RecordsConfig{}};
    PasswordDesk passwords;
    LoginThrottle logins{std::chrono::milliseconds(0)};
    std::atomic<std::uint64_t> deliveries{1};
    nio::SelectorThreadGroup group;
    ShardSet shards;
    Directory directory;
    Deployment deployment;

  private:
    static nio::SelectorThreadGroupOptions options(std::size_t dispatchers,
                                                   nio::SelectorThreadOptions thread) {
        nio::SelectorThreadGroupOptions options;
        options.thread = std::move(thread);
        options.threads = dispatchers;
        return options;
    }
    void makeShards() {
        auto empty = std::make_shared<Topology>();
        empty->config = std::make_shared<const RouterConfig>();
        empty->esmeSession = std::make_shared<smpp::SessionOptions>();
        for (std::size_t i = 0; i < group.size(); ++i) {
            const Services services{store, records, passwords, logins, board, deliveries};
            const MessageIdMaker ids(4095 - static_cast<std::uint32_t>(i), 1'700'000'000);
            shards.add(std::make_unique<Shard>(group[i], services, empty, ids));
        }
    }
};

// A configuration by names. Connectors have no binds: nobody is dialled.
class ConfigOf {
  public:
    ConfigOf& account(const std::string& name, double rate = 0) {
        config_.accountByName[name] = config_.accounts.size();
        AccountConfig& account = config_.accounts.emplace_back();
        account.systemId = name;
        account.messagesPerSecond = rate;
        return *this;
    }
    ConfigOf& connector(const std::string& name) {
        config_.connectorByName[name] = config_.connectors.size();
        ConnectorConfig& connector = config_.connectors.emplace_back();
        connector.name = name;
        connector.host = "127.0.0.1";
        connector.bind.transceivers = 0;
        return *this;
    }
    ConfigOf& listener(const std::string& name, std::uint16_t port = 0) {
        ListenerConfig& listener = config_.listeners.emplace_back();
        listener.name = name;
        listener.port = port;
        return *this;
    }
    RouterConfig& config() { return config_; }
    SharedConfig shared() const { return std::make_shared<const RouterConfig>(config_); }

  private:
    RouterConfig config_;
};

}  // namespace router
