// Ready-made HandlerFactories: from a framing and a listener to the handler of each connection.
//
// Thread: the factories are called on the Acceptor's dispatcher, one connection at a time.
#pragma once

#include <functional>
#include <memory>

#include <nio/codec/MessageCodec.h>
#include <nio/codec/MessagingProtocol.h>
#include <nio/net/ConnectionDealer.h>
#include <nio/connection/PacketCallbacks.h>
#include <nio/connection/PacketChannel.h>
#include <nio/connection/TypedListener.h>

namespace nio {

// Makes the listener of one connection; it may give the same one to all of them.
using ListenerFactory = std::function<std::shared_ptr<PacketChannelListener>()>;

HandlerFactory packetHandlers(
    DecoderFactory makeDecoder, ListenerFactory makeListener,
    std::shared_ptr<const StreamOptions> options = PacketChannel::defaultOptions());

HandlerFactory packetHandlers(
    DecoderFactory makeDecoder, PacketCallbacks callbacks,
    std::shared_ptr<const StreamOptions> options = PacketChannel::defaultOptions());

// The typed door: packets become messages by a codec, a protocol object of each connection answers
// them. Say the type: typedHandlers<std::string>(…).
// Source: BGU Reactor (MessageEncoderDecoder, MessagingProtocol).
template <class Message>
HandlerFactory typedHandlers(
    DecoderFactory makeDecoder, std::function<std::unique_ptr<MessageCodec<Message>>()> makeCodec,
    std::function<std::unique_ptr<MessagingProtocol<Message>>()> makeProtocol,
    std::shared_ptr<const StreamOptions> options = PacketChannel::defaultOptions()) {
    auto listeners = [makeCodec = std::move(makeCodec), makeProtocol = std::move(makeProtocol)] {
        return std::make_shared<TypedListener<Message>>(makeCodec(), makeProtocol());
    };
    return packetHandlers(std::move(makeDecoder), ListenerFactory(std::move(listeners)),
                          std::move(options));
}

}  // namespace nio
