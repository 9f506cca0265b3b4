// Everybody who can be named in a configuration: accounts with their desks, connectors. Who was
// made once stays until the end; a new configuration adds those who are new.
//
// Thread: one at a time; before the dispatchers start, or on one of them.
// Lifetime: that of the router; shards, store and board must outlive it.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "sms_router/config/ConfigLimits.h"
#include "sms_router/delivery/AccountDesk.h"
#include "sms_router/egress/SmscConnector.h"
#include "sms_router/routing/Shard.h"

namespace router {

class Directory {
  public:
    static constexpr std::size_t maxConnectors = limits::connectors;
    static constexpr std::uint32_t maxNumber = 3839;  // in the life of a store

    Directory(const ShardSet& shards, Store& store, ConnectorBoard& board);

    // The picture that belongs to `config`, whose connectors are aligned with the earlier one's.
    // Throws where a connector can have no number: those before it have been made.
    SharedTopology topologyOf(SharedConfig config);

    // Puts the accounts' rates in force, then tells every desk and shard, and once all shards
    // have heard of it every connector; one without a dialing is retired. Before that, who is new
    // gets what an earlier run has left: what belongs to nobody stays in the store until it is too
    // old, or its owner comes back. Throws what the store throws, and has done nothing then.
    void publish(const SharedTopology& topology,
                 const std::vector<std::shared_ptr<const SmscDialing>>& dialings);

    std::size_t connectorCount() const { return connectors_.size(); }
    SmscConnector& connector(std::size_t index) const { return *connectors_[index]; }
    // Whether the first tries of all connectors are over. Thread: any, of the first `count`.
    bool isSettled(std::size_t count) const;

  private:
    struct KnownAccount {
        std::unique_ptr<Account> account;
        std::unique_ptr<AccountDesk> desk;
    };

    KnownAccount& accountOf(const std::string& systemId);
    SmscConnector& connectorOf(std::size_t index, const RouterConfig& config);
    void tellShards(const SharedTopology& topology,
                    const std::vector<std::shared_ptr<const SmscDialing>>& dialings);
    void restoreNewcomers(const RouterConfig& config);
    std::vector<IdRecord> loadIds();
    void restoreIds(std::vector<IdRecord> records);
    void restoreKept(std::vector<KeptRecord> records);

    const ShardSet& shards_;
    Store& store_;
    ConnectorBoard& board_;
    std::map<std::string, KnownAccount> accounts_;
    std::vector<std::unique_ptr<SmscConnector>> connectors_;  // by their index
    bool restored_ = false;
    // Since the last publish().
    std::set<std::string> newAccounts_;
    std::set<std::uint32_t> newConnectors_;
};

}  // namespace router
