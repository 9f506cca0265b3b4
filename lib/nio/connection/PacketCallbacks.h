// A PacketChannelListener made of callables, for those who would rather not derive.
//
//     nio::PacketCallbacks echo;
//     echo.packetArrived = [](nio::PacketChannel& channel, nio::ByteView packet) {
//         nio::onDispatcher.assertCurrent();
//         if (auto sent = channel.sendPacket(packet); !sent) channel.failAfterFlush(sent.error());
//     };
//
// What is left empty does what PacketChannelListener does by default.
//
// Thread: called on the channel's dispatcher; callables shared by channels of several dispatchers
// run concurrently.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include <nio/connection/PacketChannel.h>

namespace nio {

struct PacketCallbacks {
    std::function<void(PacketChannel&)> opened{};
    std::function<void(PacketChannel&, ByteView packet)> packetArrived{};
    std::function<void(PacketChannel&)> packetSent{};
    std::function<void(PacketChannel&)> highWater{};
    std::function<void(PacketChannel&)> lowWater{};
    std::function<void(PacketChannel&)> peerFinished{};
    // The end; with the reason, unless it was an orderly one.
    std::function<void(PacketChannel&, const std::optional<Error>& reason)> closed{};
};

// One listener for as many channels as you like.
std::shared_ptr<PacketChannelListener> makeListener(PacketCallbacks callbacks);

}  // namespace nio
