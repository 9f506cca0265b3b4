#include <nio/connection/PacketCallbacks.h>

namespace nio {

namespace {

class CallbackListener final : public PacketChannelListener {
  public:
    explicit CallbackListener(PacketCallbacks callbacks) : callbacks_(std::move(callbacks)) {}

    void channelOpened(PacketChannel& channel) override NIO_REQUIRES(onDispatcher) {
        if (callbacks_.opened) callbacks_.opened(channel);
    }
    void packetArrived(PacketChannel& channel, ByteView packet) override
        NIO_REQUIRES(onDispatcher) {
        if (callbacks_.packetArrived) callbacks_.packetArrived(channel, packet);
    }
    void packetSent(PacketChannel& channel) override NIO_REQUIRES(onDispatcher) {
        if (callbacks_.packetSent) callbacks_.packetSent(channel);
    }
    void highWater(PacketChannel& channel) override NIO_REQUIRES(onDispatcher) {
        if (callbacks_.highWater) callbacks_.highWater(channel);
    }
    void lowWater(PacketChannel& channel) override NIO_REQUIRES(onDispatcher) {
        if (callbacks_.lowWater) callbacks_.lowWater(channel);
    }
    void peerFinished(PacketChannel& channel) override NIO_REQUIRES(onDispatcher) {
        if (callbacks_.peerFinished) return callbacks_.peerFinished(channel);
        PacketChannelListener::peerFinished(channel);
    }
    void socketDisconnected(PacketChannel& channel) override NIO_REQUIRES(onDispatcher) {
        if (callbacks_.closed) callbacks_.closed(channel, std::nullopt);
    }
    void socketException(PacketChannel& channel, const Error& error) override
        NIO_REQUIRES(onDispatcher) {
        if (callbacks_.closed) callbacks_.closed(channel, error);
    }

  private:
    PacketCallbacks callbacks_;
};

}  // namespace

std::shared_ptr<PacketChannelListener> makeListener(PacketCallbacks callbacks) {
    return std::make_shared<CallbackListener>(std::move(callbacks));
}

}  // namespace nio
