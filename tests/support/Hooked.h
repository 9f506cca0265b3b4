// The application of a pipeline of these stages that counts what it is told and does what the hooks
// of the test say.
//
// Thread: one at a time.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include <nio/pipeline/PipelineFactory.h>

namespace support {

template <class... Stages>
class Hooked {
  public:
    using Peer = nio::Pipeline<Stages..., Hooked>;

    struct Hooks {
        std::function<void(Peer&)> onOpened{};
        std::function<void(Peer&, std::string_view)> onPacket{};
        std::function<void(Peer&)> onSent{};
        std::function<void(Peer&)> onFinished{};  // without it: closeAfterFlush()
        std::function<void(Peer&, const nio::Error&)> onFailed{};

        std::size_t opened = 0;
        std::size_t packets = 0;
        std::size_t sent = 0;
        std::size_t finished = 0;
        std::size_t closed = 0;
        std::size_t failed = 0;
        std::optional<nio::Error> reason{};
        std::size_t disconnected() const { return closed - failed; }
    };

    explicit Hooked(std::shared_ptr<Hooks> hooks) : hooks_(std::move(hooks)) {}

    void opened(Peer& peer) {
        ++hooks_->opened;
        if (hooks_->onOpened) hooks_->onOpened(peer);
    }
    void read(Peer& peer, std::string_view packet) {
        ++hooks_->packets;
        if (hooks_->onPacket) hooks_->onPacket(peer, packet);
    }
    void flushed(Peer& peer) {
        ++hooks_->sent;
        if (hooks_->onSent) hooks_->onSent(peer);
    }
    void peerFinished(Peer& peer) {
        ++hooks_->finished;
        hooks_->onFinished ? hooks_->onFinished(peer) : peer.closeAfterFlush();
    }
    void failed(Peer& peer, const nio::Error& error) {
        ++hooks_->failed;
        hooks_->reason = error;
        if (hooks_->onFailed) hooks_->onFailed(peer, error);
    }
    void closed(Peer&) { ++hooks_->closed; }

  private:
    std::shared_ptr<Hooks> hooks_;
};

}  // namespace support
