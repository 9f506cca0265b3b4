// A stream connection (TCP or Unix-domain), non-blocking. All bytes pass through it.
//
// Thread: open(), adopt() and the addresses any; everything else the dispatcher's own, once
// registered.
// Lifetime: see SelectableChannel. close() discards pending output.
// Errors: IoResult; after a failed transfer the connection is unusable.
#pragma once

#include <memory>
#include <span>
#include <utility>

#include <nio/channel/ChannelIo.h>
#include <nio/channel/OutputQueue.h>
#include <nio/channel/SelectableChannel.h>

namespace nio {

class SocketChannel final : public SelectableChannel {
  public:
    // A socket that is not connected yet. TCP sockets have TCP_NODELAY set.
    static Result<SocketChannel> open(SocketAddress::Family family);
    // A connection that another process opened (Handover.h). It counts as accepted, and its options
    // stay as they are. Errors: see kernel::adoptConnection; the descriptor is closed then.
    static Result<SocketChannel> adopt(UniqueFd connected);
    // The same unchecked: an accepted connection, non-blocking already.
    explicit SocketChannel(UniqueFd connected) : SelectableChannel(std::move(connected)) {}
    SocketChannel(SocketChannel&& other)
        : SelectableChannel(std::move(other)),
          handedOver_(std::exchange(other.handedOver_, 0)),
          output_(std::move(other.output_)),
          unread_(std::move(other.unread_)),
          failure_(std::exchange(other.failure_, std::uint16_t{0})),
          finDeferred_(std::exchange(other.finDeferred_, false)),
          outgoing_(other.outgoing_) {}
    ~SocketChannel();

    // The channel of a connection whose socket belongs to another dispatcher (nio::on): open, never
    // ready. Without output it may be flushed, half-closed and closed.
    static SocketChannel withoutSocket(bool isOutgoing) {
        SocketChannel channel{UniqueFd(UniqueFd::unreal)};
        channel.outgoing_ = isOutgoing;
        return channel;
    }

    Nature nature() const override { return Nature::stream; }
    // This end opens the connection (open()); adopted sockets count as accepted.
    bool isOutgoing() const { return outgoing_; }

    // done: connected. wouldBlock: in progress; register connect interest, then call
    // connectOutcome.
    IoResult connect(const SocketAddress& address) NIO_REQUIRES(onDispatcher) {
        return io("connect").connect(*this, address);
    }
    IoResult connectOutcome() NIO_REQUIRES(onDispatcher) {
        return io("connectOutcome").connectOutcome(*this);
    }

    // done: at least one byte, valid until the callback returns or the next receive on this
    // dispatcher. wouldBlock: no input now. closed: EOF.
    Received receive() NIO_REQUIRES(onDispatcher) {
        ChannelIo& engine = io("receive");
        const Received received = engine.receive(*this);
        engine.counters().bytesIn.add(received.bytes.size());
        if (received.status == IoStatus::wouldBlock) [[unlikely]]
            engine.counters().receivesInVain.add(1);
        return received;
    }

    // Sends after the queued output; what the kernel does not accept now is queued (copied).
    // done or wouldBlock: all bytes were sent or queued; see pendingBytes(). failed: nothing more
    // can be sent.
    IoResult write(ByteView bytes) NIO_REQUIRES(onDispatcher) {
        ChannelIo& engine = io("write");
        const IoResult sent = engine.write(*this, bytes);
        count(engine, sent.bytes);
        return sent;
    }
    // Queues a copy, sent by the next flush().
    void append(ByteView bytes) NIO_REQUIRES(onDispatcher) {
        output_.append(bytes, io("append").chunks());
    }
    // One attempt to send the queued output.
    IoResult flush() NIO_REQUIRES(onDispatcher) {
        ChannelIo& engine = io("flush");
        const IoResult sent = engine.flush(*this);
        count(engine, sent.bytes);
        return sent;
    }
    // Queued output that flush() or write() has not handed over.
    std::size_t pendingBytes() const { return output_.bytes() - handedOver_; }
    // Memory of the queued output; 0 if all of it was handed over.
    std::size_t pendingMemory() const { return pendingBytes() == 0 ? 0 : output_.memory(); }

    // Output was handed over that the socket may still refuse; it is then pending again after the
    // next select. Closing earlier may lose it. Always false except on io_uring.
    bool isSending() NIO_REQUIRES(onDispatcher) {
        return hasDescriptor() && io("isSending").isSending(*this);
    }

    // Sends FIN after the output that the kernel has accepted; flush queued output first.
    Result<void> shutdownWrite() NIO_REQUIRES(onDispatcher);
    // close() with RST: output in the kernel's buffers is discarded.
    void abort();

    Result<SocketAddress> localAddress() const { return kernel::localAddress(fd()); }
    Result<SocketAddress> peerAddress() const { return kernel::peerAddress(fd()); }
    // Bytes that our kernel has accepted and the peer has not acknowledged.
    std::size_t undeliveredBytes() const {
        return hasDescriptor() ? kernel::undeliveredBytes(fd()) : 0;
    }

    // For the engines, not for programs.
    OutputQueue& output() { return output_; }
    // The first bytes of output() that are handed over: they are sent with the next wait, or become
    // pending again.
    std::size_t handedOverBytes() const { return handedOver_; }
    void setHandedOverBytes(std::size_t bytes) { handedOver_ = static_cast<std::uint32_t>(bytes); }
    // Sends FIN as soon as output() is empty, whichever engine empties it.
    void deferFin() { finDeferred_ = true; }
    bool finDeferred() const { return finDeferred_; }
    bool takeDeferredFin() { return output_.empty() && std::exchange(finDeferred_, false); }
    // An error that an operation has consumed from the socket. receive() (after the unread input),
    // write() and flush() of any engine report it.
    std::errc failure() const { return static_cast<std::errc>(failure_); }
    void setFailure(std::errc code) { failure_ = static_cast<std::uint16_t>(code); }
    // For handlers: the pool of output memory.
    ChunkPool& chunks() const NIO_REQUIRES(onDispatcher) { return io("chunks").chunks(); }

    // For the engines: appends a copy of input that was received but not delivered. receive() of
    // any engine returns it first, and meanwhile the channel is ready for reading. Throws
    // std::bad_alloc without any change.
    void unread(ByteView bytes) NIO_REQUIRES(onDispatcher) { hold(bytes, false); }
    // The same, at the front: input that a handler has received and leaves to the next handler.
    void putBack(ByteView bytes) NIO_REQUIRES(onDispatcher) { hold(bytes, true); }
    bool hasUnread() const override { return unread_ != nullptr; }
    std::size_t unreadBytes() const {
        return unread_ == nullptr ? 0 : unread_->bytes.size() - unread_->taken;
    }
    // Moves the first unread bytes to `into`; returns their number.
    std::size_t takeUnread(std::span<Byte> into);

  private:
    ChannelIo& io(const char* call) const NIO_ASSERT_CAPABILITY(onDispatcher) {
        return registrationFor(call).io();
    }

    void count(ChannelIo& engine, std::size_t sent) const {
        engine.counters().bytesHandedOver.add(sent);
        if (pendingBytes() > 0) [[unlikely]]
            engine.counters().sendsHeldUp.add(1);
    }

    void hold(ByteView bytes, bool first) NIO_REQUIRES(onDispatcher);

    struct Unread {
        Bytes bytes{};
        std::size_t taken = 0;  // bytes already consumed
    };

    std::uint32_t handedOver_ = 0;  // the engines hand over far less than this can count
    OutputQueue output_;
    std::unique_ptr<Unread> unread_;
    std::uint16_t failure_ = 0;  // an errno
    bool finDeferred_ = false;
    bool outgoing_ = false;
};

}  // namespace nio
