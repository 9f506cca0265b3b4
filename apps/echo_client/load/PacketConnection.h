// A connection of a load with framing or TLS: the application of its pipeline.
#pragma once

#include <memory>
#include <tuple>

#include <nio/pipeline/PipelineFactory.h>

#include "echo_client/load/LoadConnection.h"
#include "echo_client/load/LoadSlot.h"

namespace load {

// The TLS of a connection of a load, whose handshake is measured.
class TimedTls : public nio::TlsStage {
  public:
    TimedTls(const nio::TlsStage& tls, LoadSlot& slot) : TlsStage(tls), slot_(slot) {}

    void opened(auto& context) NIO_REQUIRES(nio::onDispatcher) {
        begun_ = nio::Clock::now();
        TlsStage::opened(context);
    }
    void read(auto& context, nio::ByteView arrived) NIO_REQUIRES(nio::onDispatcher) {
        TlsStage::read(context, arrived);
        if (isDone_ || !session()->isReady()) return;
        isDone_ = true;
        slot_.secured(nio::Clock::now() - begun_, session()->isResumed());
    }

  private:
    LoadSlot& slot_;
    nio::TimePoint begun_{};
    bool isDone_ = false;
};

class PacketConnection final : public LoadConnection {
  public:
    static std::unique_ptr<nio::StreamHandler> make(nio::SocketChannel channel, LoadSlot& slot,
                                                    const LoadPlan& plan) {
        const bool isRaw = plan.options().framing == apps::Framing::raw;
        return apps::withStage(plan.options().framing, [&](auto framing) {
            std::unique_ptr<nio::StreamHandler> made;
            if (plan.tls()) {
                using Made = nio::Pipeline<TimedTls, decltype(framing), PacketConnection>;
                made = std::make_unique<Made>(
                    std::move(channel), plan.stream(),
                    std::tuple(TimedTls(*plan.tls(), slot), std::move(framing),
                               PacketConnection(slot, isRaw)));
            } else {
                using Made = nio::Pipeline<decltype(framing), PacketConnection>;
                made = std::make_unique<Made>(
                    std::move(channel), plan.stream(),
                    std::tuple(std::move(framing), PacketConnection(slot, isRaw)));
            }
            return made;
        });
    }

    PacketConnection(LoadSlot& slot, bool isRaw) : LoadConnection(slot), isRaw_(isRaw) {}
    // Before it is opened.
    PacketConnection(const PacketConnection& other)
        : LoadConnection(other.slot()), isRaw_(other.isRaw_) {}

    void send(nio::ByteView message) override NIO_REQUIRES(nio::onDispatcher) {
        send_(*peer_, message);
    }
    nio::StreamHandler& stream() override { return *peer_; }

    template <class Peer>
    void opened(Peer& peer) NIO_REQUIRES(nio::onDispatcher) {
        peer_ = &peer;
        send_ = [](nio::StreamHandler& to, nio::ByteView message) {
            nio::onDispatcher.assumeCurrent();
            static_cast<Peer&>(to).send(message);
        };
        slot().opened(*this);
    }
    void read(auto&, nio::ByteView packet) NIO_REQUIRES(nio::onDispatcher) {
        isRaw_ ? slot().bytesArrived(packet) : slot().packetArrived(packet);
    }
    void flushed(auto&) NIO_REQUIRES(nio::onDispatcher) { slot().flushed(); }
    void peerFinished(auto&) NIO_REQUIRES(nio::onDispatcher) { slot().serverFinished(); }
    void failed(auto&, const nio::Error& error) { reason_ = error; }
    void closed(auto&) NIO_REQUIRES(nio::onDispatcher) { slot().closed(reason_); }

  private:
    const bool isRaw_;  // any pieces arrive, not whole messages
    nio::StreamHandler* peer_ = nullptr;
    void (*send_)(nio::StreamHandler&, nio::ByteView) = nullptr;
    std::optional<nio::Error> reason_;
};

}  // namespace load
