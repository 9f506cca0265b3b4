// How the application of a pipeline gets an item, whichever kind it is. See PipelineFactory.h.
//
// Thread: the connection's dispatcher.
#pragma once

#include <concepts>
#include <string>
#include <utility>

#include <nio/base/ThreadRole.h>
#include <nio/pipeline/Stage.h>

namespace nio::pipelines {

template <class Item>
void answer(auto& protocol, auto& peer, Item&& item) NIO_REQUIRES(onDispatcher) {
    const auto process = [&](auto&& message) NIO_REQUIRES(onDispatcher) {
        auto reply = protocol.process(std::forward<decltype(message)>(message));
        if (reply) peer.send(*reply);
    };
    if constexpr (requires { protocol.process(std::forward<Item>(item)); }) {
        process(std::forward<Item>(item));
    } else {
        process(std::string(asText(item)));
    }
    if (protocol.shouldTerminate()) peer.closeAfterFlush();
}

template <class Application, class Peer, class Item>
void give(Application& application, Peer& peer, Item&& item) NIO_REQUIRES(onDispatcher) {
    if constexpr (MessagingProtocol<Application>) {
        answer(application, peer, std::forward<Item>(item));
    } else if constexpr (std::invocable<Application&, Peer&, Item>) {
        application(peer, std::forward<Item>(item));
    } else if constexpr (Takes<Application, Peer, Item>) {
        application.read(peer, std::forward<Item>(item));
    } else {
        give(application, peer, asText(item));
    }
}

}  // namespace nio::pipelines
