// A connection of a load with framing: the one listener of its PacketChannel.
#pragma once

#include <nio/handlers/PacketChannel.h>

#include "echo_client/LoadConnection.h"
#include "echo_client/LoadWorker.h"

namespace load {

class PacketConnection final : public nio::PacketChannelListener, public LoadConnection {
  public:
    static std::unique_ptr<nio::PacketChannel> make(nio::SocketChannel channel, LoadWorker& worker,
                                                    std::size_t connection) {
        const LoadPlan& plan = worker.plan();
        return std::make_unique<nio::PacketChannel>(
            std::move(channel), apps::makeDecoder(plan.options().framing),
            std::make_shared<PacketConnection>(worker, connection), plan.stream());
    }

    PacketConnection(LoadWorker& worker, std::size_t connection)
        : LoadConnection(worker, connection) {}

    void channelOpened(nio::PacketChannel& channel) override NIO_REQUIRES(nio::onDispatcher) {
        channel_ = &channel;
        opened();
    }
    void packetArrived(nio::PacketChannel&, nio::ByteView packet) override
        NIO_REQUIRES(nio::onDispatcher) {
        packetAnswered(packet);
    }
    void peerFinished(nio::PacketChannel&) override NIO_REQUIRES(nio::onDispatcher) {
        serverFinished();
    }
    void socketDisconnected(nio::PacketChannel&) override NIO_REQUIRES(nio::onDispatcher) {
        closed(std::nullopt);
    }
    void socketException(nio::PacketChannel&, const nio::Error& error) override
        NIO_REQUIRES(nio::onDispatcher) {
        closed(error);
    }

  private:
    nio::StreamHandler& stream() override { return *channel_; }
    void sendMessage(nio::ByteView message) override NIO_REQUIRES(nio::onDispatcher) {
        channel_->sendPacket(message).orThrow();
    }

    nio::PacketChannel* channel_ = nullptr;
};

}  // namespace load
