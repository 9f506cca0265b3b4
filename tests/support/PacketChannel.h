// A connection of packets whose framing and listener a test chooses at run time: a pipeline whose
// application calls virtual functions.
//
// Thread: the dispatcher's own, except construction.
#pragma once

#include <functional>
#include <memory>
#include <tuple>
#include <utility>

#include <nio/codec/Framed.h>
#include <nio/net/ConnectionDealer.h>
#include <nio/pipeline/PipelineFactory.h>

namespace support {

class PacketListener;

class AnyDecoder {
  public:
    AnyDecoder(std::unique_ptr<nio::ProtocolDecoder> decoder) : decoder_(std::move(decoder)) {}

    nio::Decoded decode(nio::ByteView unread) { return decoder_->decode(unread); }
    nio::Result<void> encode(nio::ByteView packet, nio::ByteSink& sink) const {
        return decoder_->encode(packet, sink);
    }

  private:
    std::shared_ptr<nio::ProtocolDecoder> decoder_;  // of one connection
};

// Tells a listener what an application is told; of failed() and closed() only the first.
template <class Listener>
struct Told {
    std::shared_ptr<Listener> listener;
    bool hasFailed = false;

    void opened(auto& peer) NIO_REQUIRES(nio::onDispatcher) { listener->channelOpened(peer); }
    void read(auto& peer, nio::ByteView packet) NIO_REQUIRES(nio::onDispatcher) {
        listener->packetArrived(peer, packet);
    }
    void flushed(auto& peer) NIO_REQUIRES(nio::onDispatcher) { listener->packetSent(peer); }
    void aboveMark(auto& peer) NIO_REQUIRES(nio::onDispatcher) { listener->highWater(peer); }
    void belowMark(auto& peer) NIO_REQUIRES(nio::onDispatcher) { listener->lowWater(peer); }
    void peerFinished(auto& peer) NIO_REQUIRES(nio::onDispatcher) { listener->peerFinished(peer); }
    void leaving(auto& peer) NIO_REQUIRES(nio::onDispatcher) { listener->channelLeaving(peer); }
    void arrived(auto& peer) NIO_REQUIRES(nio::onDispatcher) { listener->channelArrived(peer); }
    void failed(auto& peer, const nio::Error& error) NIO_REQUIRES(nio::onDispatcher) {
        hasFailed = true;
        listener->socketException(peer, error);
    }
    void closed(auto& peer) NIO_REQUIRES(nio::onDispatcher) {
        if (!hasFailed) listener->socketDisconnected(peer);
    }
};

using PacketChannel = nio::Pipeline<nio::Framed<AnyDecoder>, Told<PacketListener>>;

// One may serve many channels of one dispatcher or of several; then it guards what it shares.
class PacketListener {
  public:
    virtual ~PacketListener() = default;

    virtual void channelOpened(PacketChannel&) NIO_REQUIRES(nio::onDispatcher) {}
    virtual void packetArrived(PacketChannel& channel, nio::ByteView packet)
        NIO_REQUIRES(nio::onDispatcher) = 0;
    virtual void packetSent(PacketChannel&) NIO_REQUIRES(nio::onDispatcher) {}
    virtual void highWater(PacketChannel&) NIO_REQUIRES(nio::onDispatcher) {}
    virtual void lowWater(PacketChannel&) NIO_REQUIRES(nio::onDispatcher) {}
    virtual void peerFinished(PacketChannel& channel) NIO_REQUIRES(nio::onDispatcher) {
        channel.closeAfterFlush();
    }
    virtual void channelLeaving(PacketChannel&) NIO_REQUIRES(nio::onDispatcher) {}
    virtual void channelArrived(PacketChannel&) NIO_REQUIRES(nio::onDispatcher) {}
    // The end: one of the two, once.
    virtual void socketDisconnected(PacketChannel&) NIO_REQUIRES(nio::onDispatcher) {}
    virtual void socketException(PacketChannel&, const nio::Error&)
        NIO_REQUIRES(nio::onDispatcher) {}
};

inline std::unique_ptr<PacketChannel> makeChannel(
    nio::SocketChannel channel, std::unique_ptr<nio::ProtocolDecoder> decoder,
    std::shared_ptr<PacketListener> listener,
    std::shared_ptr<const nio::StreamOptions> options = std::make_shared<nio::StreamOptions>()) {
    return std::make_unique<PacketChannel>(std::move(channel), std::move(options),
                                           std::tuple(nio::Framed(AnyDecoder(std::move(decoder))),
                                                      Told<PacketListener>{std::move(listener)}));
}

// Of connections that share a listener.
inline nio::HandlerFactory packetHandlers(
    std::function<std::unique_ptr<nio::ProtocolDecoder>()> makeDecoder,
    std::shared_ptr<PacketListener> listener,
    std::shared_ptr<const nio::StreamOptions> options = std::make_shared<nio::StreamOptions>()) {
    return [=](nio::AcceptedConnection connection) {
        auto channel = makeChannel(std::move(connection.channel), makeDecoder(), listener, options);
        channel->keep(std::move(connection.permit));
        return channel;
    };
}

}  // namespace support
