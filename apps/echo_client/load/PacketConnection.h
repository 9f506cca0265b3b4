// A connection of a load with framing: the one listener of its PacketChannel.
#pragma once

#include <nio/connection/PacketChannel.h>

#include "echo_client/load/LoadConnection.h"
#include "echo_client/load/LoadSlot.h"

namespace load {

class PacketConnection final : public nio::PacketChannelListener, public LoadConnection {
  public:
    static std::unique_ptr<nio::PacketChannel> make(nio::SocketChannel channel, LoadSlot& slot,
                                                    const LoadPlan& plan) {
        return std::make_unique<nio::PacketChannel>(
            std::move(channel), apps::makeDecoder(plan.options().framing),
            std::make_shared<PacketConnection>(slot), plan.stream());
    }

    using LoadConnection::LoadConnection;

    void send(nio::ByteView message) override NIO_REQUIRES(nio::onDispatcher) {
        channel_->sendPacket(message).orThrow();
    }
    nio::StreamHandler& stream() override { return *channel_; }

    void channelOpened(nio::PacketChannel& channel) override NIO_REQUIRES(nio::onDispatcher) {
        channel_ = &channel;
        slot().opened(*this);
    }
    void packetArrived(nio::PacketChannel&, nio::ByteView packet) override
        NIO_REQUIRES(nio::onDispatcher) {
        slot().packetArrived(packet);
    }
    void peerFinished(nio::PacketChannel&) override NIO_REQUIRES(nio::onDispatcher) {
        slot().serverFinished();
    }
    void socketDisconnected(nio::PacketChannel&) override NIO_REQUIRES(nio::onDispatcher) {
        slot().closed(std::nullopt);
    }
    void socketException(nio::PacketChannel&, const nio::Error& error) override
        NIO_REQUIRES(nio::onDispatcher) {
        slot().closed(error);
    }

  private:
    nio::PacketChannel* channel_ = nullptr;
};

}  // namespace load
