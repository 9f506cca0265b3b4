// PacketEcho with an eye on it: every channel that was opened hears its end, once, and nothing
// after that. What is noted here needs memory that does not fail.
//
// Thread: the one of the run.
#pragma once

#include <set>

#include <nio/loop/SelectorThread.h>

#include "echo_server/Echo.h"
#include "simulation/Journal.h"
#include "simulation/Memory.h"
#include "support/PacketChannel.h"

namespace torture {

class Listener final : public support::PacketListener {
  public:
    explicit Listener(simulation::Journal& journal) : journal_(journal) {}

    void channelOpened(support::PacketChannel& channel) override NIO_REQUIRES(nio::onDispatcher) {
        const simulation::Plentiful memory;
        if (!open_.insert(&channel).second) journal_.fail("a channel is opened twice");
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
    void socketDisconnected(support::PacketChannel& channel) override
        NIO_REQUIRES(nio::onDispatcher) {
        ended(channel, "socketDisconnected");
    }
    void socketException(support::PacketChannel& channel, const nio::Error&) override
        NIO_REQUIRES(nio::onDispatcher) {
        ended(channel, "socketException");
    }

    std::size_t openChannels() const { return open_.size(); }

  private:
    void look(const support::PacketChannel& channel, const char* callback) {
        const simulation::Plentiful memory;
        if (!open_.contains(&channel)) {
            journal_.fail(std::string(callback) + " outside of the channel's life");
        }
        if (!channel.dispatcher().isCurrent()) {
            journal_.fail(std::string(callback) + " on another dispatcher");
        }
    }
    // One that failed before it was opened ends all the same.
    void ended(const support::PacketChannel& channel, const char* callback) {
        const bool neverOpened = !open_.contains(&channel) && endedUnopened_++ == 0;
        if (!neverOpened) look(channel, callback);
        const simulation::Plentiful memory;
        open_.erase(&channel);
    }

    simulation::Journal& journal_;
    echo::PacketEcho echo_;
    std::set<const support::PacketChannel*> open_{};
    std::size_t endedUnopened_ = 0;
};

// A stage on one side of nio::on, which counts itself while it is open.
struct WatchedHalf {
    std::size_t* open;

    void opened(auto&) { ++*open; }
    void closed(auto&) { --*open; }
};

}  // namespace torture
