#include "sms_router/egress/SmscBinds.h"

#include <algorithm>

#include "sms_router/egress/SmscConnector.h"
#include "sms_router/model/Moment.h"

namespace router {

using smpp::Command;

void SmscBinds::makeNow(const std::shared_ptr<const SmscDialing>& dialing) {
    stopNow();
    for (auto& bind : binds_) {
        if (bind->isConnected()) leaving_.push_back(std::move(bind));
    }
    binds_.clear();
    dialing_ = dialing;
    std::uint32_t number = 0;
    const auto make = [&](std::size_t count, Command kind) {
        for (; count > 0; --count) {
            binds_.push_back(std::make_unique<SmscBind>(thread_, dialing, kind, ++number, owner_));
        }
    };
    make(dialing->config.bind.transceivers, Command::bindTransceiver);
    make(dialing->config.bind.transmitters, Command::bindTransmitter);
    make(dialing->config.bind.receivers, Command::bindReceiver);
}

void SmscBinds::useNow(const std::shared_ptr<const SmscDialing>& dialing) {
    dialing_ = dialing;
    for (const auto& bind : binds_) bind->useNow(dialing);
}

nio::Result<void> SmscBinds::startNow() {
    for (const auto& bind : binds_) bind->startNow();
    const ConnectorConfig& config = dialing_->config;
    if (door_ != nullptr || config.outbindListen.empty()) return {};
    door_ = std::make_unique<OutbindListener>(
        thread_,
        [this](nio::SocketChannel channel) {
            nio::onDispatcher.assertCurrent();
            adopt(std::move(channel));
        },
        [this](const nio::SocketAddress& peer) {
            nio::onDispatcher.assertCurrent();
            owner_.callerRefused(peer, "its address is not the connector's host");
        });
    const nio::Result<void> opened =
        door_->openNow(config.outbindListen, config.host, config.timers.keepAlive);
    // The next start tries again.
    if (!opened) door_.reset();
    return opened;
}

void SmscBinds::stopNow() {
    for (const auto& bind : binds_) bind->stopNow();
    closeDoor();
}

void SmscBinds::closeDoor() {
    if (door_ != nullptr) door_->closeNow();
    door_.reset();
}

void SmscBinds::adopt(nio::SocketChannel channel) {
    const auto isFree = [](const auto& bind) { return bind->wantsConnection(); };
    if (std::none_of(binds_.begin(), binds_.end(), isFree)) makeWay();
    const auto free = std::find_if(binds_.begin(), binds_.end(), isFree);
    if (free != binds_.end()) return (*free)->adoptNow(std::move(channel));
    const nio::Result<nio::SocketAddress> peer = channel.peerAddress();
    if (peer) owner_.callerRefused(peer.value(), "each bind has a connection already");
}

// A silent connection keeps no other one out: the oldest without an outbind ends, once it has had
// the time to send one.
void SmscBinds::makeWay() {
    const SmscBind* oldest = nullptr;
    for (const auto& bind : binds_) {
        if (!bind->awaitsOutbindNow()) continue;
        const bool isOlder = oldest == nullptr || bind->connectedSince() < oldest->connectedSince();
        if (isOlder) oldest = bind.get();
    }
    if (oldest == nullptr || Moment::now() < oldest->connectedSince() + toCall) return;
    oldest->linkNow()->makeWayNow();
}

void SmscBinds::boundNow(const SmscLink& link) {
    for (const auto& bind : binds_) {
        if (bind->has(link)) bind->boundNow();
    }
}

void SmscBinds::closedNow(const SmscLink& link) {
    for (const auto& bind : binds_) {
        if (bind->has(link)) bind->closedNow();
    }
    std::erase_if(leaving_, [&](const auto& bind) { return bind->has(link); });
}

bool SmscBinds::isLeavingNow(const SmscLink& link) const {
    return std::any_of(leaving_.begin(), leaving_.end(),
                       [&](const auto& bind) { return bind->has(link); });
}

bool SmscBinds::canTransmitNow() const {
    return std::any_of(binds_.begin(), binds_.end(), [](const auto& bind) {
        nio::onDispatcher.assertCurrent();
        const SmscLink* link = bind->linkNow();
        return link != nullptr && link->transmits();
    });
}

SmscLink* SmscBinds::withRoomNow(std::size_t window) {
    SmscLink* fewest = nullptr;
    SmscLink* flushes = nullptr;
    const auto isBetter = [](const SmscLink& link, const SmscLink* than) {
        return than == nullptr || link.session().outstanding() < than->session().outstanding();
    };
    ++turn_;
    for (std::size_t i = 0; i < binds_.size(); ++i) {
        SmscLink* link = binds_[(turn_ + i) % binds_.size()]->linkNow();
        if (link == nullptr || !link->transmits()) continue;
        if (link->session().outstanding() >= window) continue;
        if (isBetter(*link, fewest)) fewest = link;
        if (link->connection()->pendingBytes() > 0 && isBetter(*link, flushes)) flushes = link;
    }
    if (flushes == nullptr) return fewest;
    const std::size_t least = fewest->session().outstanding();
    return flushes->session().outstanding() < least + mostAhead ? flushes : fewest;
}

bool SmscBinds::areClosed() const {
    return leaving_.empty() && std::none_of(binds_.begin(), binds_.end(),
                                            [](const auto& bind) { return bind->isConnected(); });
}

std::vector<BindRow> SmscBinds::describeNow() const {
    std::vector<BindRow> rows;
    for (const auto& bind : binds_) rows.push_back(bind->describeNow());
    return rows;
}

}  // namespace router
