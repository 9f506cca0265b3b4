// A connection as packets: a StreamHandler whose bytes go through a ProtocolDecoder.
//
// After pauseReading() inside packetArrived, packets already received are delivered after
// resumeReading(): in a later turn, not recursively, and without new readiness.
//
// Thread: the dispatcher's own, except construction.
// Lifetime: see StreamHandler. A reference to it is valid until the end of the turn in which
// socketDisconnected or socketException was called; keep its handle() elsewhere.
// Limits: the decoder's maximum packet, StreamOptions.
// Source: ONJava article 2004, PacketChannel and PacketChannelListener.
#pragma once

#include <memory>
#include <string_view>

#include <nio/base/UniqueFunction.h>
#include <nio/codec/ProtocolDecoder.h>
#include <nio/connection/PostedOutput.h>
#include <nio/connection/StreamHandler.h>

namespace nio {

class PacketChannel;

// A PacketChannel as other threads see it: a value to keep, copy and send by.
//
// Thread: any. Lifetime: must not be used after the connection's dispatcher is destroyed.
class PacketHandle : public ChannelHandle {
  public:
    PacketHandle() = default;
    PacketHandle(ChannelHandle channel, std::shared_ptr<PostedOutput> posted)
        : ChannelHandle(channel), posted_(std::move(posted)) {}

    // Calls PacketChannel::send with a copy of the packet in a turn of the connection's dispatcher.
    // Packets of one thread keep their order. If the connection has ended by then, or another
    // handler has its channel, the packet is dropped.
    // A packet counts against StreamOptions::outputHighMark, outputLimit and the memory budget from
    // now on, with what it takes to queue it.
    // Errors; nothing is sent then, and `done` is not called: operation_would_block (above the
    // high-water mark, or the budget pauses reads: try again later), outputLimit (the packet alone
    // exceeds it), notRegistered (the connection has ended, or the handle is empty), stopped,
    // queueFull (SelectorThreadOptions::maxQueuedTasks). Throws std::bad_alloc likewise.
    Result<void> send(ByteView packet) const { return post(packet, {}); }
    Result<void> send(std::string_view packet) const { return post(asBytes(packet), {}); }
    // Calls `done` once on the dispatcher `sender`: without an error when the kernel has accepted
    // the packet and all other output, with the reason if the packet was dropped. On io_uring,
    // output counts as accepted when it is handed over; if that send fails, only the connection is
    // told. What takeChannel() hands to another handler is told as dropped (notRegistered),
    // although it is sent. `done` is not called if `sender` stops before.
    Result<void> send(ByteView packet, SelectorThread& sender, SendDone done) const;
    Result<void> send(std::string_view packet, SelectorThread& sender, SendDone done) const {
        return send(asBytes(packet), sender, std::move(done));
    }
    // The same for any task. False: stopped, queueFull, or the handle is empty.
    [[nodiscard]] bool invokeLater(UniqueFunction<void(PacketChannel&)> task) const;

  private:
    Result<void> post(ByteView packet, SendResult result) const;

    std::shared_ptr<PostedOutput> posted_;
};

// One listener may serve many channels of one dispatcher or of several; then it guards what it
// shares.
class PacketChannelListener {
  public:
    virtual ~PacketChannelListener() = default;

    // The channel is registered and may send.
    virtual void channelOpened(PacketChannel&) NIO_REQUIRES(onDispatcher) {}
    // `packet` is valid during the call.
    virtual void packetArrived(PacketChannel& channel, ByteView packet)
        NIO_REQUIRES(onDispatcher) = 0;
    // The kernel has accepted all packets sent so far.
    virtual void packetSent(PacketChannel&) NIO_REQUIRES(onDispatcher) {}
    // Pending output has risen above StreamOptions::outputHighMark: stop producing. And it has
    // fallen below outputLowMark(): go on. In turns, once each. What is sent meanwhile still is
    // queued, up to outputLimit.
    virtual void highWater(PacketChannel&) NIO_REQUIRES(onDispatcher) {}
    virtual void lowWater(PacketChannel&) NIO_REQUIRES(onDispatcher) {}
    // The peer has finished sending, it may still read: answer what is left and close (the default
    // closes after the flush).
    virtual void peerFinished(PacketChannel& channel) NIO_REQUIRES(onDispatcher);
    // Migration to another dispatcher (StreamOptions::movable): the last call on the old one, the
    // first on the new one. A listener that keeps anything of a dispatcher exchanges it here.
    virtual void channelLeaving(PacketChannel&) NIO_REQUIRES(onDispatcher) {}
    virtual void channelArrived(PacketChannel&) NIO_REQUIRES(onDispatcher) {}
    // The end: exactly one of the two, once. Normal, or with a reason (a reset, a protocol error, a
    // limit, a timeout, an exception from this listener).
    virtual void socketDisconnected(PacketChannel&) NIO_REQUIRES(onDispatcher) {}
    virtual void socketException(PacketChannel&, const Error&) NIO_REQUIRES(onDispatcher) {}
};

class PacketChannel final : public StreamHandler {
  public:
    PacketChannel(SocketChannel channel, std::unique_ptr<ProtocolDecoder> decoder,
                  std::shared_ptr<PacketChannelListener> listener,
                  std::shared_ptr<const StreamOptions> options = defaultOptions());
    ~PacketChannel() override;

    // For other threads. Once it is registered. The first call throws std::bad_alloc.
    PacketHandle handle() NIO_REQUIRES(onDispatcher);

    // sendPacket; a packet that the framing refuses ends the connection with that error, once what
    // was sent before has left.
    void send(ByteView packet) NIO_REQUIRES(onDispatcher);
    void send(std::string_view packet) NIO_REQUIRES(onDispatcher) { send(asBytes(packet)); }
    // Frames the packet and queues it; it leaves when the callback returns, or in this turn's
    // flush. packetTooLong, notEncodable: refused by the framing, nothing was queued. Nothing
    // happens on a connection that is closing. Over StreamOptions::outputLimit socketException is
    // called from inside: do not let it change what you are walking through.
    Result<void> sendPacket(ByteView packet) NIO_REQUIRES(onDispatcher);

    // For a change of protocol, also from inside packetArrived: the connection, for another handler
    // (see keep(), takePermit()), with what has arrived and was not delivered, which that one gets.
    // It is registered still: only registerChannelNow of this dispatcher takes it. Once it has,
    // this one is told nothing more; where the connection is let go before that (no memory for the
    // other handler, say), socketDisconnected is called as it closes. Throws std::bad_alloc, and
    // std::logic_error of one that is piped, and has done nothing then.
    SocketChannel takeChannel() NIO_REQUIRES(onDispatcher);

    const ProtocolDecoder& decoder() const { return *decoder_; }
    PacketChannelListener& listener() const { return *listener_; }

    static std::shared_ptr<const StreamOptions> defaultOptions();

  protected:
    void connectionOpened() override NIO_REQUIRES(onDispatcher);
    void bytesArrived(ByteView bytes) override NIO_REQUIRES(onDispatcher);
    void inputRevisited() override NIO_REQUIRES(onDispatcher) { deliverTail(); }
    void peerFinished() override NIO_REQUIRES(onDispatcher);
    void outputFlushed() override NIO_REQUIRES(onDispatcher);
    void outputAboveMark() override NIO_REQUIRES(onDispatcher);
    void outputBelowMark() override NIO_REQUIRES(onDispatcher);
    void connectionLeaving() override NIO_REQUIRES(onDispatcher);
    void connectionArrived() override NIO_REQUIRES(onDispatcher);
    void connectionClosed(const std::optional<Error>& reason) override NIO_REQUIRES(onDispatcher);
    std::size_t keptInputBytes() const override { return kept_; }
    std::size_t keptInputMemory() const override { return tail_.capacity(); }

  private:
    friend class PacketHandle;
    friend class Relay;

    void sendPosted(PostedPacket& packet) NIO_REQUIRES(onDispatcher);
    // For the relay: all that needs memory, and then the rest. Returns whether the peer has
    // finished.
    void prepareRelay() NIO_REQUIRES(onDispatcher);
    bool beginRelay(bool pause) NIO_REQUIRES(onDispatcher);
    // Returns how many bytes are done with.
    std::size_t deliver(ByteView input) NIO_REQUIRES(onDispatcher);
    void deliverTail() NIO_REQUIRES(onDispatcher);

    std::unique_ptr<ProtocolDecoder> decoder_;
    std::shared_ptr<PacketChannelListener> listener_;
    Bytes tail_;  // of an incomplete packet, or packets that wait for resumeReading
    std::size_t tailStart_ = 0;
    std::size_t kept_ = 0;              // of all that has arrived, not yet delivered
    const Byte* delivering_ = nullptr;  // the first of these, while others before it are
    // With a handle. A pointer: connections without one pay for no more.
    std::unique_ptr<const std::shared_ptr<PostedOutput>> posted_;
};

}  // namespace nio
