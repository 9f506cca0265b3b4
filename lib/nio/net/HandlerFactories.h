// The HandlerFactory of connections that are PacketChannels. Those that are pipelines have one of
// their own: nio::pipeline() (PipelineFactory.h).
//
//     nio::packetHandlers(nio::lines(), std::make_shared<Chat>())
//
// Thread: the factories are called on the Acceptor's dispatcher, one connection at a time; a
// listener is called on the dispatchers of its connections.
#pragma once

#include <functional>
#include <memory>

#include <nio/connection/PacketChannel.h>
#include <nio/net/ConnectionDealer.h>

namespace nio {

// Makes the listener of one connection; it may give the same one to all of them.
using ListenerFactory = std::function<std::shared_ptr<PacketChannelListener>()>;

HandlerFactory packetHandlers(
    DecoderFactory makeDecoder, ListenerFactory makeListener,
    std::shared_ptr<const StreamOptions> options = PacketChannel::defaultOptions());
// One listener serves all connections.
HandlerFactory packetHandlers(
    DecoderFactory makeDecoder, std::shared_ptr<PacketChannelListener> listener,
    std::shared_ptr<const StreamOptions> options = PacketChannel::defaultOptions());

}  // namespace nio
