// A PacketChannelListener that counts what it is told and does what the test's hooks say.
//
// Thread: one at a time; echo() alone may serve several dispatchers' threads.
#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <nio/connection/PacketChannel.h>

namespace support {

class ScriptedListener final : public nio::PacketChannelListener {
  public:
    using Hook = std::function<void(nio::PacketChannel&)>;

    Hook onOpened;
    std::function<void(nio::PacketChannel&, std::string_view)> onPacket;
    Hook onSent;
    Hook onHighWater;
    Hook onLowWater;
    Hook onFinished;  // without it: what a listener does by default
    Hook onDisconnected;
    std::function<void(nio::PacketChannel&, const nio::Error&)> onException;

    std::atomic<std::size_t> opened{0};
    std::atomic<std::size_t> packets{0};
    std::atomic<std::size_t> sent{0};
    std::atomic<std::size_t> finished{0};
    std::atomic<std::size_t> disconnected{0};
    std::atomic<std::size_t> failed{0};

    std::size_t ended() const { return disconnected + failed; }
    // Of the last socketException.
    const std::optional<nio::Error>& reason() const { return reason_; }

    // Answers every packet with itself.
    ScriptedListener& echo() {
        onPacket = [](nio::PacketChannel& channel, std::string_view packet) {
            channel.sendPacket(nio::asBytes(packet)).orThrow();
        };
        return *this;
    }

    void forgetHooks() {
        onOpened = onSent = onHighWater = onLowWater = onFinished = onDisconnected = nullptr;
        onPacket = nullptr;
        onException = nullptr;
    }

    void channelOpened(nio::PacketChannel& channel) override {
        ++opened;
        if (onOpened) onOpened(channel);
    }
    void packetArrived(nio::PacketChannel& channel, nio::ByteView packet) override {
        ++packets;
        if (onPacket) onPacket(channel, nio::asText(packet));
    }
    void packetSent(nio::PacketChannel& channel) override {
        ++sent;
        if (onSent) onSent(channel);
    }
    void highWater(nio::PacketChannel& channel) override {
        if (onHighWater) onHighWater(channel);
    }
    void lowWater(nio::PacketChannel& channel) override {
        if (onLowWater) onLowWater(channel);
    }
    void peerFinished(nio::PacketChannel& channel) override {
        ++finished;
        onFinished ? onFinished(channel) : PacketChannelListener::peerFinished(channel);
    }
    void socketDisconnected(nio::PacketChannel& channel) override {
        ++disconnected;
        if (onDisconnected) onDisconnected(channel);
    }
    void socketException(nio::PacketChannel& channel, const nio::Error& error) override {
        if (++failed == 1) reason_ = error;
        if (onException) onException(channel, error);
    }

  private:
    std::optional<nio::Error> reason_;
};

}  // namespace support
