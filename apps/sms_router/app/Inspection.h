// What a dispatcher says of itself: for the drain, and for the status page.
//
// Thread: the shard's own dispatcher.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sms_router/delivery/AccountDesk.h"
#include "sms_router/model/Snapshot.h"
#include "sms_router/routing/Shard.h"

namespace router {

// How far it is from being over.
struct ShardState {
    std::size_t links = 0;       // of ESMEs
    std::size_t unanswered = 0;  // requests of ESMEs on their way to SMSCs
    std::size_t unsafe = 0;      // deliveries neither acknowledged nor on disk
    std::size_t connectorsBound = 0;
    std::size_t connectorsBusy = 0;

    ShardState& operator+=(const ShardState& other);
};
ShardState stateOf(const Shard& shard) NIO_REQUIRES(nio::onDispatcher);

struct DeskReport {
    std::string account;
    AccountDesk::Figures figures;
};

struct ShardReport {
    SharedTopology topology;  // null: its dispatcher has stopped, or does not answer
    std::vector<std::pair<std::string, BindRow>> binds;  // by account; "": not bound yet
    std::vector<DeskReport> desks;
    std::vector<std::pair<std::string, WebhookRow>> webhooks;  // by account
    std::vector<ConnectorRow> connectors;
    ShardFigures figures;
};
// Without `all`: neither binds of ESMEs nor desks, of which there may be thousands.
ShardReport reportOf(Shard& shard, bool all = true) NIO_REQUIRES(nio::onDispatcher);

// Puts them together. Thread: any; reads counters of accounts and of the store.
std::shared_ptr<Snapshot> makeSnapshot(std::vector<ShardReport> reports, const Store& store,
                                       bool draining, std::chrono::seconds uptime);

}  // namespace router
