// The ByteFilter of a connection and the plain output that it has not encoded yet.
//
// Allocated only with a filter.
//
// Thread: the dispatcher's own, except construction.
// Errors: those of the filter, which are final: call fail() then.
#pragma once

#include <memory>

#include <nio/channel/SocketChannel.h>
#include <nio/connection/ByteFilter.h>

namespace nio {

class Filtered {
  public:
    // The plain bytes of one read. They use the thread's one buffer, so that idle connections hold
    // none; a turn nested in this one finds the buffer in use and allocates another.
    class PlainInput final : public ByteSink {
      public:
        PlainInput();
        PlainInput(const PlainInput&) = delete;
        PlainInput& operator=(const PlainInput&) = delete;
        ~PlainInput();

        void append(ByteView bytes) override;
        ByteView bytes() const { return bytes_; }

      private:
        Bytes bytes_;
    };

    explicit Filtered(std::unique_ptr<ByteFilter> filter) : filter_(std::move(filter)) {}

    bool isReady() const { return filter_->isReady(); }
    bool hasFailed() const { return failed_; }
    // The filter has decoded the peer's end of stream.
    bool hasPeerFinished() const { return !failed_ && filter_->hasPeerFinished(); }
    // Our end of stream is still to be encoded.
    bool finishIsDeferred() const { return !failed_ && !finished_; }
    // Sent, not encoded yet.
    std::size_t pendingBytes() const { return plain_.bytes(); }
    // Of those, the bytes that were dropped when the filter failed.
    std::size_t lostBytes() const { return lostBytes_; }
    std::size_t memory() const { return plain_.memory() + filter_->memory(); }

    // Only the first call does anything.
    Result<void> begin(SocketChannel& network) NIO_REQUIRES(onDispatcher);
    // Nothing can be sent after our FIN: alerts about later input are dropped.
    Result<void> decode(ByteView arrived, PlainInput& plain, SocketChannel& network, bool finSent)
        NIO_REQUIRES(onDispatcher);
    void append(ByteView plain, SocketChannel& network) NIO_REQUIRES(onDispatcher);
    // Encodes pending output once the filter is ready.
    Result<void> encode(SocketChannel& network) NIO_REQUIRES(onDispatcher);
    // Encodes our end of stream, once, if no output is pending.
    Result<void> finish(SocketChannel& network) NIO_REQUIRES(onDispatcher);
    // Drops pending output. Returns whether there was any.
    bool fail(SocketChannel& network) NIO_REQUIRES(onDispatcher);

  private:
    std::unique_ptr<ByteFilter> filter_;
    OutputQueue plain_;
    std::size_t lostBytes_ = 0;
    bool begun_ = false;
    bool failed_ = false;
    bool finished_ = false;
};

}  // namespace nio
