// A PacketChannelListener made of callables instead of a class.
//
//     nio::PacketCallbacks echo;
//     echo.opened = [](nio::PacketChannel& peer) { peer.send("hello"); };
//     echo.packetArrived = [](nio::PacketChannel& peer, nio::ByteView packet) { peer.send(packet);
//     };
//
// A callback that is left empty does what PacketChannelListener does by default.
//
// Thread: called on the channel's dispatcher; callables shared by channels of several dispatchers
// run concurrently.
#pragma once

#include <concepts>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

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

// Where callbacks are wanted, one lambda for the packets does: it takes the packet as text or as
// bytes. It must be copyable, and not mutable: several dispatchers may call it at the same time.
template <class F>
concept TakesText = std::invocable<const F&, PacketChannel&, std::string_view>;
template <class F>
concept TakesBytes = std::invocable<const F&, PacketChannel&, ByteView>;

inline PacketCallbacks packetCallbacks(PacketCallbacks callbacks) {
    return callbacks;
}
template <class F>
PacketCallbacks packetCallbacks(F onPacket) {
    static_assert(
        (TakesText<F> || TakesBytes<F>)&&std::copy_constructible<F>,
        "packets are served by nio::PacketCallbacks, or by a copyable lambda, not mutable, "
        "with (nio::PacketChannel&, std::string_view) or (nio::PacketChannel&, "
        "nio::ByteView)");
    PacketCallbacks callbacks;
    if constexpr (!std::copy_constructible<F>) {
        return callbacks;
    } else if constexpr (TakesText<F>) {
        callbacks.packetArrived = [onPacket = std::move(onPacket)](PacketChannel& channel,
                                                                   ByteView packet) {
            onPacket(channel, asText(packet));
        };
    } else if constexpr (TakesBytes<F>) {
        callbacks.packetArrived = std::move(onPacket);
    }
    return callbacks;
}

// One listener serves any number of channels.
std::shared_ptr<PacketChannelListener> makeListener(PacketCallbacks callbacks);

}  // namespace nio
