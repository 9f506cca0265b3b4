// Where ESMEs connect: an Acceptor on one dispatcher, whose connections are dealt out to all.
//
// Thread: any, one at a time; start() once the shards have their topology.
// Lifetime: group and shards must outlive the connections; the listener itself may go (then it
// goes on until its dispatcher stops).
// Errors: open() gives the reason.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include <nio/group/SelectorThreadGroup.h>
#include <nio/net/Acceptor.h>

#include <nio-tls/Tls.h>
#include "common/Places.h"
#include "sms_router/routing/Shard.h"

namespace router {

class EsmeListener {
  public:
    using Tls = std::shared_ptr<const nio::TlsContext>;

    // On a channel that listens at the configuration's address.
    static nio::Result<std::unique_ptr<EsmeListener>> open(const ListenerConfig& config,
                                                           nio::ServerSocketChannel channel,
                                                           Tls tls, nio::SelectorThreadGroup& group,
                                                           const ShardSet& shards);

    const ListenerConfig& config() const { return config_; }
    // With the port that the system chose.
    const nio::SocketAddress& address() const { return address_; }
    // Runs on the dispatcher; without it the error is logged.
    using Refused = std::function<void(std::string name, const nio::Error& why)>;
    void start(Refused refused = {});
    // Its dispatcher could not take it: its port is free again. Thread: any.
    bool isDead() const { return dead_->load(std::memory_order_acquire); }
    // How many connections it may have; with more of them already, none is closed. open() takes
    // the configuration's.
    void limitTo(std::size_t connections) { gate_->setMaximum(connections); }
    // How many of these may come from one source (an IPv4 address, a /64 of IPv6); 0: no limit.
    void limitEachSource(std::size_t connections) { door_->places->limitEachSource(connections); }
    std::size_t limit() const { return gate_->maximum(); }
    // For connections from now on, as is useTls().
    void readStrictly(bool strict) { door_->isStrict.store(strict, std::memory_order_relaxed); }
    // For connections from now on.
    void useTls(Tls tls) { door_->tls.set(std::move(tls)); }
    Tls tls() const { return door_->tls.get(); }
    void close();

  private:
    // What new connections are made with, also when the listener has gone.
    struct Door {
        nio::TlsSlot tls;  // replaced by a reload
        std::atomic<bool> isStrict = false;
        std::shared_ptr<apps::Places> places;
    };

    EsmeListener(const ListenerConfig& config, nio::SelectorThreadGroup& group)
        : config_(config), group_(group) {}
    static std::unique_ptr<nio::ReadWriteSelectorHandler> makeHandler(
        const ShardSet& shards, const Shard& shard, const Door& door,
        nio::AcceptedConnection connection);

    const ListenerConfig config_;
    nio::SelectorThreadGroup& group_;
    const std::shared_ptr<Door> door_ = std::make_shared<Door>();
    std::unique_ptr<nio::Acceptor> acceptor_;  // until start()
    std::shared_ptr<nio::ConnectionGate> gate_;
    nio::SocketAddress address_;
    const std::shared_ptr<std::atomic<bool>> dead_ = std::make_shared<std::atomic<bool>>(false);
    // Of the dispatcher.
    const std::shared_ptr<nio::ChannelHandle> handle_ = std::make_shared<nio::ChannelHandle>();
};

}  // namespace router
