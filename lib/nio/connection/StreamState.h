// What a protocol may do with its connection: send, pause reads, close. The calls change the state
// of the connection; StreamHandler acts on it after each callback. See StreamHandler.h.
//
// Thread: the dispatcher's own (WrongThreadError elsewhere), except construction.
// Lifetime: StreamHandler's.
#pragma once

#include <bit>
#include <memory>

#include <nio/channel/SocketChannel.h>
#include <nio/connection/Closing.h>
#include <nio/connection/ConnectionPermit.h>
#include <nio/connection/IdleTimeout.h>
#include <nio/connection/ReadGate.h>
#include <nio/connection/StreamCallbacks.h>
#include <nio/connection/StreamOptions.h>
#include <nio/connection/WaterMarks.h>
#include <nio/loop/ChannelHandle.h>
#include <nio/observe/CloseReason.h>

namespace nio {

class StreamState : public StreamCallbacks {
  public:
    StreamState(SocketChannel channel, std::shared_ptr<const StreamOptions> options);

    SocketChannel& channel() final { return channel_; }
    const StreamOptions& options() const { return *options_; }
    // For posting to this connection later. Valid once it is registered.
    ChannelHandle handle() NIO_REQUIRES(onDispatcher);
    void keep(ConnectionPermit permit) { permit_ = std::move(permit); }
    // For a handler that takes over this handler's channel: the connection keeps its permit.
    ConnectionPermit takePermit() { return std::move(permit_); }

    // Queues a copy. Ignored after closeAfterFlush, shutdownWrite or the end. Calls
    // connectionClosed() before it returns if the output exceeds StreamOptions::outputLimit or
    // memory runs out; so does abort().
    void send(ByteView bytes) NIO_REQUIRES(onDispatcher);
    // False: it would be ignored.
    bool maySend() const {
        const bool isEnding = special_.finWanted || special_.closing || special_.ended;
        return !isEnding && channel_.isOpen();
    }
    std::size_t pendingBytes() const {
        if (!special_.encodes) return channel_.pendingBytes();
        return channel_.pendingBytes() + heldOutputBytes();
    }

    // Calls do not nest. Bytes already received are kept until resumeReading().
    void pauseReading() NIO_REQUIRES(onDispatcher) {
        assertHere("pauseReading");
        pauseFor(ReadGate::Reason::application, true);
    }
    void resumeReading() NIO_REQUIRES(onDispatcher) {
        assertHere("resumeReading");
        pauseFor(ReadGate::Reason::application, false);
    }
    bool isReadingPaused() const { return special_.gate.isPausedByProtocol(); }
    // Whether pending output above the high-water mark, an exhausted memory budget and the read
    // budget of a drain pause reads; if not, only pauseReading() does. Default: on, but for the
    // high-water mark of a connection that this end opened (SocketChannel::isOutgoing). Also before
    // registration.
    void setAutoPause(bool on) NIO_REQUIRES(onDispatcher);
    // Pending output has risen above the high-water mark and not yet fallen below the low one.
    bool isOutputAboveMark() const { return marks_.isAbove(); }

    // Marks work in progress outside this connection, such as a request to another server. Until
    // its deadline a drain then considers the connection neither idle nor finished reading.
    void setBusy(bool busy) NIO_REQUIRES(onDispatcher);

    // When the memory budget is exhausted, this connection is evicted before unmarked ones if it
    // holds any buffers: for a peer that has not authenticated. Also before registration.
    void setEvictFirst(bool evictFirst) NIO_REQUIRES(onDispatcher);

    // Closing. Also allowed before registration; connectionOpened() is still called then, except
    // after abort().
    void closeAfterFlush() NIO_REQUIRES(onDispatcher);
    void shutdownWrite() NIO_REQUIRES(onDispatcher);
    // The application receives nothing more, not even the peer's end of stream; it may send on,
    // and closes. What still comes is read and discarded, also while reads are paused.
    void shutdownRead() NIO_REQUIRES(onDispatcher);
    void abort() NIO_REQUIRES(onDispatcher);
    // closeAfterFlush() with a reason for connectionClosed(): answers sent before the error still
    // reach the peer.
    void failAfterFlush(Error reason) NIO_REQUIRES(onDispatcher);

    // For the dispatcher: what the connection would lose now.
    Remains remains() const override;

  protected:
    // Of failAfterFlush(), until the connection has ended.
    const Error* failureReason() const {
        return closing_ == nullptr ? nullptr : closing_->reason();
    }
    // Sends without a copy if no output is pending.
    void sendThrough(ByteView bytes) NIO_REQUIRES(onDispatcher);
    // Ends the connection with a reason: with RST if `reset`, else with FIN after the output that
    // the kernel accepts immediately, without linger.
    [[gnu::cold]] void end(std::optional<Error> reason, bool reset) NIO_REQUIRES(onDispatcher);
    // Calls inputRevisited() in the next turn, or once the output is below its low-water mark, and
    // pauses reads until then.
    void revisitInput() NIO_REQUIRES(onDispatcher);
    // Call inputKept() after keeping bytes, with how many are kept: from this many on they are
    // counted as buffered until released.
    static constexpr std::size_t countedInput = 1024;
    void inputKept(std::size_t bytes) NIO_REQUIRES(onDispatcher) {
        if (bytes < countedInput) return;
        settleLater();
        special_.counted = true;
    }
    // Reading is paused for each reason by itself.
    void pauseFor(ReadGate::Reason reason, bool pauses) NIO_REQUIRES(onDispatcher);
    bool isClosing() const { return special_.closing || !channel_.isOpen(); }
    // Input is dropped.
    bool discardsInput() const { return isClosing() || special_.gate.has(ReadGate::Reason::shut); }
    bool mayDeliver() const { return special_.gate.allowsDelivery() && !isClosing(); }
    // Too much output is pending to deliver more packets now.
    bool isOutputHigh() const { return pendingBytes() > options_->outputHighMark && markPauses_; }
    // For a relay: the connection stays on the dispatcher of the other one.
    void beRelayed() { relayed_ = true; }
    bool isRelayed() const { return relayed_; }
    bool mayBeRelayed() const { return channel_.isRegistered() && maySend(); }
    // Restarts the quiet period of a drain, for progress that the drain cannot see.
    void restartQuietPeriod() NIO_REQUIRES(onDispatcher);
    // Throws WrongThreadError outside the dispatcher, before any change.
    void assertHere(const char* call) const {
        if (channel_.isRegistered()) channel_.registration()->owner().assertCurrent(call);
    }

  private:
    friend class StreamHandler;
    friend class StreamEncoding;

    // Wraps every call into the protocol: output sent inside leaves when the call returns.
    class Callback {
      public:
        explicit Callback(StreamState& state) : state_(state), outer_(state.inCallback_) {
            state_.inCallback_ = true;
        }
        Callback(const Callback&) = delete;
        Callback& operator=(const Callback&) = delete;
        ~Callback() { state_.inCallback_ = outer_; }

      private:
        StreamState& state_;
        const bool outer_;
    };

    // Rare states packed into two bytes, so the common case is a single comparison. No bit may be
    // padding.
    struct Special {
        ReadGate gate{};
        bool peerFinished : 1 = false;  // FIN seen
        bool finWanted : 1 = false;     // shutdownWrite() was called
        bool finSent : 1 = false;
        bool closing : 1 = false;  // closeAfterFlush() was called: input is discarded
        bool draining : 1 = false;
        bool ended : 1 = false;
        bool counted : 1 = false;  // the dispatcher counts its buffers, or must
        bool encodes : 1 = false;  // encodeOutput() comes before each flush

        std::uint16_t bits() const { return std::bit_cast<std::uint16_t>(*this); }
        bool any() const { return std::bit_cast<std::uint16_t>(*this) != 0; }
    };

    // The channel of a Connector is registered before its handler is.
    bool isRegistered() const { return hasDispatcher() && channel_.isRegistered(); }
    void settleLater() NIO_REQUIRES(onDispatcher);
    [[gnu::cold, gnu::noinline]] void endWith(std::errc code, const char* context, bool reset)
        NIO_REQUIRES(onDispatcher);
    void checkOutputLimit() NIO_REQUIRES(onDispatcher) {
        if (pendingBytes() > options_->outputLimit) [[unlikely]]
            outputLimitPassed();
    }
    [[gnu::cold]] void outputLimitPassed() NIO_REQUIRES(onDispatcher);
    [[gnu::cold]] void countClosed(CloseReason reason, int code) NIO_REQUIRES(onDispatcher);
    [[gnu::noinline]] void countBuffered() NIO_REQUIRES(onDispatcher);
    [[gnu::cold]] Closing& closing();

    std::shared_ptr<const StreamOptions> options_;
    ConnectionPermit permit_;
    IdleTimeout idle_;
    std::unique_ptr<Closing> closing_;
    // These fields reuse `channel_`'s tail padding.
    [[no_unique_address]] SocketChannel channel_;
    Special special_;
    WaterMarks marks_;
    bool inCallback_ : 1 = false;
    bool wroteSome_ : 1 = false;  // outputFlushed() is pending
    bool busy_ : 1 = false;       // set by the protocol
    bool evictFirst_ : 1 = false;
    bool autoPause_ : 1 = true;
    bool markPauses_ : 1;  // of it: the high-water mark
    bool relayed_ : 1 = false;
    bool endEncoded_ : 1 = false;  // our end of stream
};

}  // namespace nio
