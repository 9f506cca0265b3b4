// The listener of two connections that are relayed to each other, see Pipe.h.
//
// Thread: the dispatcher's own.
// Lifetime: that of the later of the two connections.
#pragma once

#include <array>
#include <memory>

#include <nio/connection/PacketChannel.h>

namespace nio {

class Relay final : public PacketChannelListener {
  public:
    // Nothing is relayed before begin().
    Relay(PacketChannel& first, PacketChannel& second) : sides_{{{&first}, {&second}}} {}

    // See Pipe.h.
    static Result<void> canRelay(const PacketChannel& first, const PacketChannel& second)
        NIO_REQUIRES(onDispatcher);
    // The relay takes control of both.
    static void begin(const std::shared_ptr<Relay>& relay,
                      std::array<std::unique_ptr<ProtocolDecoder>, 2> decoders)
        NIO_REQUIRES(onDispatcher);

    void packetArrived(PacketChannel& channel, ByteView bytes) override NIO_REQUIRES(onDispatcher);
    void peerFinished(PacketChannel& channel) override NIO_REQUIRES(onDispatcher);
    void highWater(PacketChannel& channel) override NIO_REQUIRES(onDispatcher);
    void lowWater(PacketChannel& channel) override NIO_REQUIRES(onDispatcher);
    void socketDisconnected(PacketChannel& channel) override NIO_REQUIRES(onDispatcher);
    void socketException(PacketChannel& channel, const Error& error) override
        NIO_REQUIRES(onDispatcher);

    // Not ended, but taken over by another handler.
    void destroyed(PacketChannel& channel);

  private:
    struct Side {
        PacketChannel* channel;  // null: it has ended
        bool finished = false;   // its FIN was received after all its bytes
        bool finishes = false;   // the FIN came before begin(), with bytes still to relay
        // Its previous listener. Bytes of a packet being delivered may be in the decoder.
        std::shared_ptr<PacketChannelListener> listener{};
        std::unique_ptr<ProtocolDecoder> decoder{};
    };

    Side& sideOf(const PacketChannel& channel) {
        return sides_[sides_[0].channel == &channel ? 0 : 1];
    }
    Side& otherThan(const Side& side) { return sides_[&side == &sides_[0] ? 1 : 0]; }
    void finish(Side& side) NIO_REQUIRES(onDispatcher);
    template <class Tell>
    void end(PacketChannel& channel, bool reset, Tell&& tell) NIO_REQUIRES(onDispatcher);
    void endOther(const Side& side, bool reset) NIO_REQUIRES(onDispatcher);

    std::array<Side, 2> sides_;
};

}  // namespace nio
