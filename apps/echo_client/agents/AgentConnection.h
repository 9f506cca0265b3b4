// The connection between a coordinator and an agent, of which each of them is the application.
//
// Thread: the dispatcher's own, except construction.
#pragma once

#include <memory>
#include <optional>
#include <utility>

#include <nio/codec/Framed.h>
#include <nio/pipeline/PipelineFactory.h>

#include "echo_client/agents/AgentFraming.h"

namespace load {

// Tells `end`, which outlives the connection: opened, packetArrived, peerFinished, and once closed.
template <class End>
struct AgentApplication {
    std::shared_ptr<End> end;
    std::optional<nio::Error> reason{};

    void opened(auto& peer) NIO_REQUIRES(nio::onDispatcher) { end->opened(peer); }
    void read(auto&, nio::ByteView packet) NIO_REQUIRES(nio::onDispatcher) {
        end->packetArrived(packet);
    }
    void peerFinished(auto& peer) NIO_REQUIRES(nio::onDispatcher) { end->peerFinished(peer); }
    void failed(auto&, const nio::Error& error) { reason = error; }
    void closed(auto&) NIO_REQUIRES(nio::onDispatcher) { end->closed(reason); }
};

template <class End>
using AgentConnection = nio::Pipeline<nio::Framed<AgentFraming>, AgentApplication<End>>;

template <class End>
std::unique_ptr<AgentConnection<End>> makeAgentConnection(
    nio::SocketChannel channel, AgentFraming framing, std::shared_ptr<End> end,
    std::shared_ptr<const nio::StreamOptions> options) {
    return std::make_unique<AgentConnection<End>>(
        std::move(channel), std::move(options),
        std::tuple(nio::Framed(std::move(framing)), AgentApplication<End>{std::move(end)}));
}

}  // namespace load
