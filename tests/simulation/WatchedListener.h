// The listener of PacketEcho with eyes around it: callbacks come on the dispatcher of their channel
// only, in an order that makes sense, and none after the end.
//
// Thread: the one of the run.
#pragma once

#include <map>

#include "echo_server/PacketEcho.h"
#include "simulation/Journal.h"

#include <nio/loop/SelectorThread.h>

namespace simulation {

class WatchedListener final : public nio::PacketChannelListener {
  public:
    explicit WatchedListener(Journal& journal) : journal_(journal) {}

    void channelOpened(nio::PacketChannel& channel) override NIO_REQUIRES(nio::onDispatcher) {
        if (!open_.emplace(&channel, true).second) journal_.fail("a channel is opened twice");
        look(channel, "channelOpened");
        echo_.channelOpened(channel);
    }
    void packetArrived(nio::PacketChannel& channel, nio::ByteView packet) override
        NIO_REQUIRES(nio::onDispatcher) {
        look(channel, "packetArrived");
        echo_.packetArrived(channel, packet);
    }
    void packetSent(nio::PacketChannel& channel) override NIO_REQUIRES(nio::onDispatcher) {
        look(channel, "packetSent");
        echo_.packetSent(channel);
    }
    void peerFinished(nio::PacketChannel& channel) override NIO_REQUIRES(nio::onDispatcher) {
        look(channel, "peerFinished");
        echo_.peerFinished(channel);
    }
    void channelLeaving(nio::PacketChannel& channel) override NIO_REQUIRES(nio::onDispatcher) {
        look(channel, "channelLeaving");
        open_[&channel] = false;
    }
    void channelArrived(nio::PacketChannel& channel) override NIO_REQUIRES(nio::onDispatcher) {
        if (open_[&channel]) journal_.fail("channelArrived without channelLeaving");
        open_[&channel] = true;
        look(channel, "channelArrived");
    }
    void socketDisconnected(nio::PacketChannel& channel) override NIO_REQUIRES(nio::onDispatcher) {
        lookAtEnd(channel, "socketDisconnected", false);
    }
    void socketException(nio::PacketChannel& channel, const nio::Error&) override
        NIO_REQUIRES(nio::onDispatcher) {
        lookAtEnd(channel, "socketException", true);
    }

    std::size_t openChannels() const { return open_.size(); }

  private:
    void look(const nio::PacketChannel& channel, const char* callback) {
        const auto found = open_.find(&channel);
        if (found == open_.end()) {
            return journal_.fail(std::string(callback) + " outside of the channel's life");
        }
        if (!found->second) journal_.fail(std::string(callback) + " while the channel moves");
        if (!channel.dispatcher().isCurrent()) {
            journal_.fail(std::string(callback) + " on another dispatcher");
        }
    }

    // Where its new dispatcher could not take it, it was lost on the way: the end comes at once.
    void lookAtEnd(const nio::PacketChannel& channel, const char* callback, bool hasReason) {
        const auto found = open_.find(&channel);
        const bool isLost = found != open_.end() && !found->second &&
                            !const_cast<nio::PacketChannel&>(channel).channel().isOpen();
        if (!isLost) look(channel, callback);
        if (isLost && !hasReason) journal_.fail("what was lost on its way is told an orderly end");
        open_.erase(&channel);
    }

    Journal& journal_;
    echo::PacketEcho echo_{false};
    std::map<const nio::PacketChannel*, bool> open_;  // false: it travels
};

}  // namespace simulation
