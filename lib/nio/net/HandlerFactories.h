// Ready-made HandlerFactories: from a framing and a service to the handler of each connection.
//
//     nio::packetHandlers(nio::lines(), [](auto& peer, std::string_view line) { peer.send(line);
//     });
//
// A service is one of
//  - a lambda for the packets, or PacketCallbacks: see PacketCallbacks.h;
//  - a std::shared_ptr to a PacketChannelListener, which serves all connections;
//  - a lambda without arguments that returns such a pointer: a listener for each connection.
//
// Thread: the factories are called on the Acceptor's dispatcher, one connection at a time; a
// listener is called on the dispatchers of its connections.
#pragma once

#include <concepts>
#include <functional>
#include <memory>
#include <type_traits>
#include <utility>

#include <nio/codec/MessageCodec.h>
#include <nio/codec/MessagingProtocol.h>
#include <nio/connection/PacketCallbacks.h>
#include <nio/connection/PacketChannel.h>
#include <nio/net/ConnectionDealer.h>
#include <nio/net/TypedListener.h>

namespace nio {

// Makes the listener of one connection; it may give the same one to all of them.
using ListenerFactory = std::function<std::shared_ptr<PacketChannelListener>()>;

HandlerFactory packetHandlers(
    DecoderFactory makeDecoder, ListenerFactory makeListener,
    std::shared_ptr<const StreamOptions> options = PacketChannel::defaultOptions());

template <class Service>
HandlerFactory packetHandlers(
    DecoderFactory makeDecoder, Service service,
    std::shared_ptr<const StreamOptions> options = PacketChannel::defaultOptions()) {
    using Listener = std::shared_ptr<PacketChannelListener>;
    ListenerFactory listeners;
    if constexpr (std::is_invocable_r_v<Listener, Service&>) {
        listeners = std::move(service);
    } else if constexpr (std::convertible_to<Service, Listener>) {
        listeners = [listener = Listener(std::move(service))] { return listener; };
    } else {
        listeners = [listener = makeListener(packetCallbacks(std::move(service)))] {
            return listener;
        };
    }
    return packetHandlers(std::move(makeDecoder), std::move(listeners), std::move(options));
}

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
