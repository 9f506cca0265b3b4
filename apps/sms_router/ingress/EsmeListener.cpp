#include "sms_router/ingress/EsmeListener.h"

#include <nio/base/Log.h>
#include <nio/net/ConnectionDealer.h>

#include "common/Endpoint.h"
#include "sms_router/ingress/EsmeLink.h"
#include "sms_router/model/Post.h"

namespace router {

namespace {

std::shared_ptr<const smpp::SessionOptions> sessionOf(const Topology& topology, bool isStrict) {
    if (!isStrict) return topology.esmeSession;
    auto strict = std::make_shared<smpp::SessionOptions>(*topology.esmeSession);
    strict->reading = smpp::Reading::strict;
    return strict;
}

}  // namespace

nio::Result<std::unique_ptr<EsmeListener>> EsmeListener::open(const ListenerConfig& config,
                                                              nio::ServerSocketChannel channel,
                                                              Tls tls,
                                                              nio::SelectorThreadGroup& group,
                                                              const ShardSet& shards) {
    std::unique_ptr<EsmeListener> listener(new EsmeListener(config, group));
    listener->useTls(std::move(tls));
    listener->readStrictly(config.strict);
    auto factory = [&shards, &shard = shards.of(group[0]),
                    door = listener->door_](nio::AcceptedConnection connection) {
        return makeHandler(shards, shard, *door, std::move(connection));
    };
    nio::AcceptorOptions options;
    options.maxConnections = config.maxConnections;
    auto acceptor = nio::Acceptor::open(
        std::move(channel), std::make_unique<nio::ConnectionDealer>(group, std::move(factory)),
        options);
    if (!acceptor) return acceptor.error();
    listener->acceptor_ = std::move(acceptor).value();
    listener->gate_ = listener->acceptor_->gate();
    listener->door_->places =
        std::make_shared<apps::Places>("listener '" + config.name + "'", listener->gate_);
    listener->address_ = listener->acceptor_->address();
    return listener;
}

std::unique_ptr<nio::ReadWriteSelectorHandler> EsmeListener::makeHandler(
    const ShardSet& shards, const Shard& shard, const Door& door,
    nio::AcceptedConnection connection) {
    nio::onDispatcher.assertCurrent();
    const auto peer = connection.channel.peerAddress();
    if (!peer) return nullptr;
    auto place = door.places->enter(apps::sourceOf(peer.value()));
    if (!place) return nullptr;
    const Tls tls = door.tls.get();
    const bool isStrict = door.isStrict.load(std::memory_order_relaxed);
    auto link = std::make_shared<EsmeLink>(shards, sessionOf(*shard.sharedTopology(), isStrict),
                                           peer.value(), tls != nullptr);
    link->take(std::move(*place));
    const RouterConfig& config = shard.config();
    auto handler = SmppLink::makeHandler(
        std::move(connection.channel), std::move(link),
        {config.router.maxPduBytes, config.router.maxUnboundPduBytes}, nio::tls(tls));
    handler->keep(std::move(connection.permit));
    handler->setEvictFirst(true);
    return handler;
}

void EsmeListener::start(Refused refused) {
    auto begin = [&thread = group_[0], handle = handle_, dead = dead_,
                  acceptor = std::move(acceptor_), name = "listener " + config_.name,
                  refused = std::move(refused)]() mutable {
        nio::onDispatcher.assertCurrent();
        const auto registered =
            thread.registerChannelNow(std::move(acceptor), nio::Interest::accept);
        if (registered) {
            *handle = registered.value();
            return;
        }
        acceptor.reset();
        dead->store(true, std::memory_order_release);
        if (refused) return refused(std::move(name), registered.error());
        nio::log(nio::LogLevel::error, name + ": " + registered.error().message());
    };
    (void)postLater(group_[0], std::move(begin));
}

void EsmeListener::close() {
    auto end = [&thread = group_[0], handle = handle_] {
        nio::onDispatcher.assertCurrent();
        if (handle->dispatcher() == nullptr) return;
        if (nio::SelectorHandler* acceptor = thread.findNow(*handle)) acceptor->channel().close();
    };
    (void)postLater(group_[0], std::move(end));
}

}  // namespace router
