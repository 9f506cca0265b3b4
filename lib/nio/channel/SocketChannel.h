// A stream connection (TCP or Unix-domain), non-blocking: the only road of bytes.
//
// Thread: open() and the addresses any; everything else the dispatcher's own, once registered.
// Lifetime: see SelectableChannel. What was not sent when it is closed is lost.
// Errors: IoResult; a failed transfer means that the connection is of no further use.
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
    // An accepted connection, or one inherited from elsewhere; takes it over as it is.
    explicit SocketChannel(UniqueFd connected) : SelectableChannel(std::move(connected)) {}
    SocketChannel(SocketChannel&& other)
        : SelectableChannel(std::move(other)),
          handedOver_(std::exchange(other.handedOver_, 0)),
          output_(std::move(other.output_)),
          unread_(std::move(other.unread_)),
          failure_(std::exchange(other.failure_, std::uint16_t{0})),
          owesFin_(std::exchange(other.owesFin_, false)) {}
    ~SocketChannel();

    Nature nature() const override { return Nature::stream; }

    // done: connected. wouldBlock: under way; register connect interest and ask connectOutcome.
    IoResult connect(const SocketAddress& address) NIO_REQUIRES(onDispatcher) {
        return io("connect").connect(*this, address);
    }
    IoResult connectOutcome() NIO_REQUIRES(onDispatcher) {
        return io("connectOutcome").connectOutcome(*this);
    }

    // done: at least one byte, shown until the callback returns or the next receive on this
    // dispatcher. wouldBlock: nothing now. closed: the peer has finished sending.
    Received receive() NIO_REQUIRES(onDispatcher) {
        ChannelIo& engine = io("receive");
        const Received received = engine.receive(*this);
        engine.counters().bytesIn.add(received.bytes.size());
        if (received.status == IoStatus::wouldBlock) [[unlikely]]
            engine.counters().receivesInVain.add(1);
        return received;
    }

    // Sends behind what is queued; what the kernel does not take now is queued (copied).
    // done or wouldBlock: all of it was taken or queued; see pendingBytes(). failed: nothing more
    // will leave.
    IoResult write(ByteView bytes) NIO_REQUIRES(onDispatcher) {
        ChannelIo& engine = io("write");
        const IoResult sent = engine.write(*this, bytes);
        count(engine, sent.bytes);
        return sent;
    }
    // Queues only (copies); leaves with the next flush().
    void append(ByteView bytes) NIO_REQUIRES(onDispatcher) {
        output_.append(bytes, io("append").chunks());
    }
    // One attempt to send what is queued.
    IoResult flush() NIO_REQUIRES(onDispatcher) {
        ChannelIo& engine = io("flush");
        const IoResult sent = engine.flush(*this);
        count(engine, sent.bytes);
        return sent;
    }
    // What is queued and was not handed over by flush() or write().
    std::size_t pendingBytes() const { return output_.bytes() - handedOver_; }
    // What is queued takes so much memory; nothing while all was handed over.
    std::size_t pendingMemory() const { return pendingBytes() == 0 ? 0 : output_.memory(); }

    // Something was handed over that the socket may still refuse: then it is pending again after
    // the next select. Whoever closes before that may lose it. Always false but on io_uring.
    bool isSending() NIO_REQUIRES(onDispatcher) { return io("isSending").isSending(*this); }

    // FIN behind what the kernel has taken; what is still queued here must be flushed first.
    Result<void> shutdownWrite() NIO_REQUIRES(onDispatcher);
    // close() with RST: what the kernel holds for the peer is thrown away.
    void abort();

    Result<SocketAddress> localAddress() const { return kernel::localAddress(fd()); }
    Result<SocketAddress> peerAddress() const { return kernel::peerAddress(fd()); }
    // Of what the kernel has taken from here: what the peer's has not.
    std::size_t undeliveredBytes() const { return kernel::undeliveredBytes(fd()); }

    // For the engines, not for programs.
    OutputQueue& output() { return output_; }
    // The first bytes of output() that are as good as taken: they leave with the next wait, or
    // count as pending again.
    std::size_t handedOverBytes() const { return handedOver_; }
    void setHandedOverBytes(std::size_t bytes) { handedOver_ = static_cast<std::uint32_t>(bytes); }
    // FIN is due when output() is empty, whichever engine empties it.
    void oweFin() { owesFin_ = true; }
    bool owesFin() const { return owesFin_; }
    bool payFin() { return output_.empty() && std::exchange(owesFin_, false); }
    // Of an operation that took the error out of the socket: receive() behind the unread input,
    // write() and flush() of whatever engine tell it.
    std::errc failure() const { return static_cast<std::errc>(failure_); }
    void setFailure(std::errc code) { failure_ = static_cast<std::uint16_t>(code); }
    // For handlers: the memory of output, for bytes on their way to it.
    ChunkPool& chunks() const NIO_REQUIRES(onDispatcher) { return io("chunks").chunks(); }

    // For the engines: input that was taken from the kernel and could not be handed out, behind
    // what is there already (copied). receive() of whatever engine hands it out first, and while
    // there is some the channel is ready for reading. Throws std::bad_alloc, and has not taken
    // them.
    void unread(ByteView bytes) NIO_REQUIRES(onDispatcher) { hold(bytes, false); }
    // The same, in front of what is there: what a handler has received and leaves to the next one.
    void putBack(ByteView bytes) NIO_REQUIRES(onDispatcher) { hold(bytes, true); }
    bool hasUnread() const override { return unread_ != nullptr; }
    std::size_t unreadBytes() const {
        return unread_ == nullptr ? 0 : unread_->bytes.size() - unread_->taken;
    }
    // Moves the first of them to `into`; returns how many.
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
        std::size_t taken = 0;  // the first of them
    };

    std::uint32_t handedOver_ = 0;  // the engines hand over far less than this can count
    OutputQueue output_;
    std::unique_ptr<Unread> unread_;
    std::uint16_t failure_ = 0;  // an errno
    bool owesFin_ = false;
};

}  // namespace nio
