// What a dispatcher with SMPP connections has to itself: its topology, its router, its
// figures, and a list of its ESME connections.
//
// Thread: the dispatcher's own, except construction.
// Lifetime: made before the dispatchers start, destroyed after they have stopped.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <vector>

#include <nio/loop/ChannelHandle.h>
#include <nio/loop/SelectorThread.h>
#include <nio/sys/Clock.h>

#include "sms_router/model/BindRefusal.h"
#include "sms_router/model/MalformedPdus.h"
#include "sms_router/model/Snapshot.h"
#include "sms_router/model/Topology.h"
#include "sms_router/records/RecordLog.h"
#include "sms_router/routing/Router.h"
#include "sms_router/store/ShortIds.h"
#include "sms_router/store/Store.h"

namespace router {

class LoginThrottle;
class PasswordDesk;

// Shared by all of them; each says its own thread rule.
struct Services {
    Store& store;
    RecordLog& records;
    PasswordDesk& passwords;
    LoginThrottle& logins;
    const ConnectorBoard& board;
    std::atomic<std::uint64_t>& deliveries;  // the next number of one, see Delivery
};

// Counts how long a stage of a message took.
inline void count(LatencyBuckets& buckets, nio::Clock::duration time) {
    const auto nanoseconds = time.count() < 0 ? 0 : static_cast<std::uint64_t>(time.count());
    const std::uint64_t micros = nanoseconds / 1000;
    const std::size_t bucket = static_cast<std::size_t>(std::bit_width(micros));
    ++buckets.counts[std::min(bucket, LatencyBuckets::count - 1)];
    buckets.sumMicroseconds += micros;
}

struct ShardFigures {
    BindRefusalCounts refusedBinds;
    std::uint64_t malformed = 0;
    std::map<std::string, MalformedPdus, std::less<>> malformedOf;  // by account; "": not bound
    std::map<const Account*, RefusalCounts> refusedBy;
    std::uint64_t duplicateReceipts = 0;
    std::uint64_t unmatchedReceipts = 0;
};

class Shard {
  public:
    Shard(nio::SelectorThread& thread, Services services, SharedTopology topology,
          MessageIdMaker ids)
        : thread_(thread),
          services_(services),
          topology_(std::move(topology)),
          routing_(topology_->config, services.board),
          ids_(ids),
          shortIds_(services_.store, thread) {}
    Shard(const Shard&) = delete;
    Shard& operator=(const Shard&) = delete;

    nio::SelectorThread& thread() const { return thread_; }
    Services& services() { return services_; }
    const Topology& topology() const { return *topology_; }
    const SharedTopology& sharedTopology() const { return topology_; }
    const RouterConfig& config() const { return *topology_->config; }
    Router& routing() { return routing_; }
    ShardFigures& figures() { return figures_; }
    // For what has no connector of its own.
    MessageIdMaker& ids() { return ids_; }
    ShortIds& shortIds() { return shortIds_; }
    bool isDraining() const { return draining_; }
    const std::vector<nio::ChannelHandle>& links() const { return links_; }

    void join(nio::ChannelHandle link) { links_.push_back(link); }
    void leave(nio::ChannelHandle link) { std::erase(links_, link); }

    // For EsmeLink, which tells each connection.
    void use(SharedTopology topology) {
        topology_ = std::move(topology);
        routing_.use(topology_->config);
    }
    void drain() { draining_ = true; }

  private:
    nio::SelectorThread& thread_;
    Services services_;
    SharedTopology topology_;
    Router routing_;
    MessageIdMaker ids_;
    ShortIds shortIds_;
    ShardFigures figures_;
    std::vector<nio::ChannelHandle> links_;
    bool draining_ = false;
};

// Which shard a dispatcher is. Thread: any; filled before the dispatchers start.
class ShardSet {
  public:
    Shard& of(const nio::SelectorThread& thread) const;
    void add(std::unique_ptr<Shard> shard) { shards_.push_back(std::move(shard)); }
    std::size_t size() const { return shards_.size(); }
    Shard& operator[](std::size_t index) const { return *shards_[index]; }
    std::size_t indexOf(const Shard& shard) const;

  private:
    std::vector<std::unique_ptr<Shard>> shards_;
};

}  // namespace router
