// A listener that counts what it is told and does what the test's hooks say.
//
// Thread: one at a time; echo() alone may serve several dispatchers' threads.
#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "support/PacketChannel.h"

namespace support {

class ScriptedListener final : public support::PacketListener {
  public:
    using Hook = std::function<void(support::PacketChannel&)>;

    Hook onOpened;
    std::function<void(support::PacketChannel&, std::string_view)> onPacket;
    Hook onSent;
    Hook onHighWater;
    Hook onLowWater;
    Hook onFinished;  // without it: what a listener does by default
    Hook onDisconnected;
    std::function<void(support::PacketChannel&, const nio::Error&)> onException;

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
        onPacket = [](support::PacketChannel& channel, std::string_view packet) {
            channel.send(packet);
        };
        return *this;
    }

    void forgetHooks() {
        onOpened = onSent = onHighWater = onLowWater = onFinished = onDisconnected = nullptr;
        onPacket = nullptr;
        onException = nullptr;
    }

    void channelOpened(support::PacketChannel& channel) override {
        ++opened;
        if (onOpened) onOpened(channel);
    }
    void packetArrived(support::PacketChannel& channel, nio::ByteView packet) override {
        ++packets;
        if (onPacket) onPacket(channel, nio::asText(packet));
    }
    void packetSent(support::PacketChannel& channel) override {
        ++sent;
        if (onSent) onSent(channel);
    }
    void highWater(support::PacketChannel& channel) override {
        if (onHighWater) onHighWater(channel);
    }
    void lowWater(support::PacketChannel& channel) override {
        if (onLowWater) onLowWater(channel);
    }
    void peerFinished(support::PacketChannel& channel) override {
        ++finished;
        onFinished ? onFinished(channel) : PacketListener::peerFinished(channel);
    }
    void socketDisconnected(support::PacketChannel& channel) override {
        ++disconnected;
        if (onDisconnected) onDisconnected(channel);
    }
    void socketException(support::PacketChannel& channel, const nio::Error& error) override {
        if (++failed == 1) reason_ = error;
        if (onException) onException(channel, error);
    }

  private:
    std::optional<nio::Error> reason_;
};

}  // namespace support
