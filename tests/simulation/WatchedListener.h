// PacketEcho with eyes around it: callbacks come on the dispatcher of their channel
// only, in an order that makes sense, and none after the end.
//
// Thread: the one of the run.
#pragma once

#include <map>

#include "echo_server/Echo.h"
#include "simulation/Journal.h"
#include "support/PacketChannel.h"

#include <nio/loop/SelectorThread.h>

namespace simulation {

class WatchedListener final : public support::PacketListener {
  public:
    explicit WatchedListener(Journal& journal) : journal_(journal) {}

    void channelOpened(support::PacketChannel& channel) override NIO_REQUIRES(nio::onDispatcher) {
        if (!open_.emplace(&channel, true).second) journal_.fail("a channel is opened twice");
        look(channel, "channelOpened");
    }
    void packetArrived(support::PacketChannel& channel, nio::ByteView packet) override
        NIO_REQUIRES(nio::onDispatcher) {
        look(channel, "packetArrived");
        echo_.read(channel, packet);
    }
    void packetSent(support::PacketChannel& channel) override NIO_REQUIRES(nio::onDispatcher) {
        look(channel, "packetSent");
    }
    void peerFinished(support::PacketChannel& channel) override NIO_REQUIRES(nio::onDispatcher) {
        look(channel, "peerFinished");
        channel.closeAfterFlush();
    }
    void channelLeaving(support::PacketChannel& channel) override NIO_REQUIRES(nio::onDispatcher) {
        look(channel, "channelLeaving");
        open_[&channel] = false;
    }
    void channelArrived(support::PacketChannel& channel) override NIO_REQUIRES(nio::onDispatcher) {
        if (open_[&channel]) journal_.fail("channelArrived without channelLeaving");
        open_[&channel] = true;
        look(channel, "channelArrived");
    }
    void socketDisconnected(support::PacketChannel& channel) override
        NIO_REQUIRES(nio::onDispatcher) {
        lookAtEnd(channel, "socketDisconnected", false);
    }
    void socketException(support::PacketChannel& channel, const nio::Error&) override
        NIO_REQUIRES(nio::onDispatcher) {
        lookAtEnd(channel, "socketException", true);
    }

    std::size_t openChannels() const { return open_.size(); }

  private:
    void look(const support::PacketChannel& channel, const char* callback) {
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
    void lookAtEnd(const support::PacketChannel& channel, const char* callback, bool hasReason) {
        const auto found = open_.find(&channel);
        const bool isLost = found != open_.end() && !found->second &&
                            !const_cast<support::PacketChannel&>(channel).channel().isOpen();
        if (!isLost) look(channel, callback);
        if (isLost && !hasReason) journal_.fail("what was lost on its way is told an orderly end");
        open_.erase(&channel);
    }

    Journal& journal_;
    echo::PacketEcho echo_;
    std::map<const support::PacketChannel*, bool> open_;  // false: it travels
};

}  // namespace simulation
