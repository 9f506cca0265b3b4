// A connection as bytes in and bytes out: the state machine that every stream protocol needs, with
// its limits. A protocol derives from it (PacketChannel does) and says what bytes mean.
//
// The article's five states: waiting for data (read interest), reading (inside bytesArrived),
// processing (pauseReading until the answer is there), writing (the one flush after each
// callback), waiting to write (write interest, only while the kernel takes no more).
//
// Sends coalesce: everything sent inside a callback leaves in one system call when the callback
// returns; everything sent from tasks or other channels' callbacks leaves in the turn's flush.
//
// Backpressure: an accepted connection pauses its reads while its pending output is above the
// high-water mark, and resumes them below half of it, the low-water mark. A connection that this
// end opened goes on reading: if both ends paused, they would wait for each other for ever.
// setAutoPause() changes either; a proxy pauses the other connection instead (Pipe.h). Over the
// hard limit the connection is aborted. While the memory budget of all connections is exceeded
// (MemoryBudget.h) any pending output counts as above the mark until it has been sent.
// outputAboveMark() and outputBelowMark() tell the protocol.
//
// Three ways to close: closeAfterFlush() sends pending output and FIN, then reads until EOF or the
// linger timeout (see StreamOptions) and closes, so a reset destroys no answer. shutdownWrite()
// half-closes and keeps reading. abort() resets.
//
// With a ByteFilter the protocol sees plain bytes; everything it sends in one callback is encoded
// together when the callback returns. Before the filter is ready output waits (it counts as
// pending), and a pause does not stop reads, which the handshake needs. A filter error ends the
// connection like failAfterFlush, except that pending output cannot be sent any more; packets held
// back by a pause are dropped. A FIN before the filter's own end of stream is Errc::truncated.
//
// With StreamOptions::movable the connection can migrate to another dispatcher unless it is closing
// or draining. Pending input and output, a pause, the filter's state and the idle time migrate
// with it.
//
// Thread: the dispatcher's own (WrongThreadError elsewhere), except construction.
// Lifetime: the key's, see SelectorHandlers.h. connectionClosed() is the last callback, exactly
// once, unless the handler was never registered, or another one has taken its channel over.
// Source: ONJava article 2004, figure 2.
#pragma once

#include <bit>
#include <memory>
#include <optional>

#include <nio/channel/SocketChannel.h>
#include <nio/connection/ByteFilter.h>
#include <nio/connection/ConnectionPermit.h>
#include <nio/connection/StreamOptions.h>
#include <nio/loop/ChannelHandle.h>
#include <nio/loop/SelectorHandlers.h>
#include <nio/observe/CloseReason.h>
#include <nio/timers/IdleTimeouts.h>

namespace nio {

class StreamHandler : public MovableHandler {
  public:
    StreamHandler(SocketChannel channel, std::shared_ptr<const StreamOptions> options);

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
    std::size_t pendingBytes() const {
        return channel_.pendingBytes() + (filtered_ == nullptr ? 0 : filtered_->plain.bytes());
    }

    // Calls do not nest. Bytes already received are kept until resumeReading().
    void pauseReading() NIO_REQUIRES(onDispatcher);
    void resumeReading() NIO_REQUIRES(onDispatcher);
    bool isReadingPaused() const { return special_.paused; }
    // Whether pending output above the mark, and the read budget of a drain, pause reads; if not,
    // only pauseReading() does. Default: on for an accepted connection, off for one that this end
    // opened (SocketChannel::isOutgoing). Also before registration.
    void setAutoPause(bool on) NIO_REQUIRES(onDispatcher);
    // Pending output has risen above the high-water mark and not yet fallen below the low one.
    bool isOutputAboveMark() const { return aboveMark_; }

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
    void abort() NIO_REQUIRES(onDispatcher);
    // closeAfterFlush() with a reason for connectionClosed(): answers sent before the error still
    // reach the peer.
    void failAfterFlush(Error reason) NIO_REQUIRES(onDispatcher);

    // For the dispatcher.
    void handleRegistered() final NIO_REQUIRES(onDispatcher);
    [[gnu::hot]] void handleRead() final NIO_REQUIRES(onDispatcher);
    void handleWrite() final NIO_REQUIRES(onDispatcher);
    void handleFlush() final NIO_REQUIRES(onDispatcher);
    void handleRevisit() final NIO_REQUIRES(onDispatcher);
    void handleIdle() final NIO_REQUIRES(onDispatcher);
    void handleDrain(const DrainOptions& options) final NIO_REQUIRES(onDispatcher);
    void handleClosed() final NIO_REQUIRES(onDispatcher);
    void handlePressure() final NIO_REQUIRES(onDispatcher);
    void handleOverload() final NIO_REQUIRES(onDispatcher);
    void handleAbort() final NIO_REQUIRES(onDispatcher) { abort(); }
    void handleFailure(std::exception_ptr exception) override NIO_REQUIRES(onDispatcher);
    bool isMovable() const final NIO_REQUIRES(onDispatcher);
    void leaving() final NIO_REQUIRES(onDispatcher);
    void arrived() final NIO_REQUIRES(onDispatcher);
    void lost(const Error& error) final NIO_REQUIRES(onDispatcher);
    bool countsHeldInput() const final { return true; }
    Remains remains() const override;

  protected:
    // Before registration. With a filter bytesArrived() may be called while reads are paused; the
    // derived class keeps those bytes.
    void setFilter(std::unique_ptr<ByteFilter> filter);

    // The handler is registered and may send. Called before the first bytesArrived().
    virtual void connectionOpened() NIO_REQUIRES(onDispatcher) {}
    // `bytes` is valid during the call.
    virtual void bytesArrived(ByteView bytes) NIO_REQUIRES(onDispatcher) = 0;
    // EOF: the peer has finished sending (FIN) and may still read. Default: closeAfterFlush().
    virtual void peerFinished() NIO_REQUIRES(onDispatcher) { closeAfterFlush(); }
    // The kernel has accepted all output sent so far.
    virtual void outputFlushed() NIO_REQUIRES(onDispatcher) {}
    // Pending output has risen above the high-water mark, or fallen below the low one. The calls
    // alternate; they come after the callback that sent, or when the kernel has accepted output.
    virtual void outputAboveMark() NIO_REQUIRES(onDispatcher) {}
    virtual void outputBelowMark() NIO_REQUIRES(onDispatcher) {}
    // Migration: the last call on the old dispatcher and the first on the new one. Release what is
    // bound to a dispatcher in the first, and acquire it again in the second.
    virtual void connectionLeaving() NIO_REQUIRES(onDispatcher) {}
    virtual void connectionArrived() NIO_REQUIRES(onDispatcher) {}
    // The connection has ended; no error: normally. Do not send.
    virtual void connectionClosed(const std::optional<Error>&) NIO_REQUIRES(onDispatcher) {}
    // Called after revisitInput() to process kept bytes that bytesArrived() has seen.
    virtual void inputRevisited() NIO_REQUIRES(onDispatcher) {}

    // Sends without a copy if no output is pending.
    void sendThrough(ByteView bytes) NIO_REQUIRES(onDispatcher);
    // Ends the connection with a reason: with RST if `reset`, else with FIN after the output that
    // the kernel accepts immediately, without linger.
    [[gnu::cold]] void end(std::optional<Error> reason, bool reset) NIO_REQUIRES(onDispatcher);
    // Calls inputRevisited() in the next turn, or once the output is below its low-water mark, and
    // pauses reads until then.
    void revisitInput() NIO_REQUIRES(onDispatcher);
    // Bytes kept by the derived class; they count as unread when the connection ends.
    virtual std::size_t keptInputBytes() const { return 0; }
    // The memory that they take.
    virtual std::size_t keptInputMemory() const { return keptInputBytes(); }
    // Call before the callback returns after keeping this many bytes; they count until released.
    static constexpr std::size_t countedInput = 1024;
    void inputKept() { counted_ = true; }
    bool mayDeliver() const {
        return !special_.paused && !special_.readsPaused && !special_.closing && channel_.isOpen();
    }
    // Too much output is pending to deliver more packets now.
    bool isOutputHigh() const { return pendingBytes() > options_->outputHighMark && autoPause_; }
    // For a relay: the connection stays on the dispatcher of the other one.
    void beRelayed() { relayed_ = true; }
    bool isRelayed() const { return relayed_; }
    bool hasPeerFinished() const { return special_.peerFinished; }
    bool mayBeRelayed() const { return channel_.isRegistered() && maySend(); }
    // Restarts the quiet period of a drain, for progress that the drain cannot see.
    void restartQuietPeriod() NIO_REQUIRES(onDispatcher);
    // Throws WrongThreadError outside the dispatcher, before any change.
    void assertHere(const char* call) const {
        if (channel_.isRegistered()) channel_.registration()->owner().assertCurrent(call);
    }

  private:
    // Wraps every call into the protocol: output sent inside leaves when the call returns.
    class Callback {
      public:
        explicit Callback(StreamHandler& handler) : handler_(handler), outer_(handler.inCallback_) {
            handler_.inCallback_ = true;
        }
        Callback(const Callback&) = delete;
        Callback& operator=(const Callback&) = delete;
        ~Callback() { handler_.inCallback_ = outer_; }

      private:
        StreamHandler& handler_;
        const bool outer_;
    };

    // Allocated only while the connection drains or lingers.
    struct Ending {
        std::optional<Deadline> deadline{};  // set after registration
        std::chrono::milliseconds lingerTime{0};
        std::chrono::milliseconds quietPeriod{0};
        std::size_t readBudget = 0;
        bool lookedAgain = false;
        std::size_t thrownAway = 0;
        std::size_t undelivered = 0;  // when it was last looked at
        TimePoint lingerEnd{};
        std::optional<Error> reason{};
    };

    // Rare states packed into one byte, so the common case is a single comparison.
    struct Special {
        bool paused : 1 = false;        // by the protocol
        bool readsPaused : 1 = false;   // by the output marks
        bool revisits : 1 = false;      // inputRevisited() is pending
        bool peerFinished : 1 = false;  // FIN seen
        bool finWanted : 1 = false;     // shutdownWrite() was called
        bool finSent : 1 = false;
        bool closing : 1 = false;  // closeAfterFlush() was called: input is discarded
        bool draining : 1 = false;

        bool any() const { return std::bit_cast<std::uint8_t>(*this) != 0; }
    };

    // Allocated only with a filter.
    struct Filtered {
        std::unique_ptr<ByteFilter> filter;
        OutputQueue plain{};        // sent, not encoded yet
        std::size_t lostBytes = 0;  // of those, when the filter failed
        bool begun = false;
        bool failed = false;
        bool finished = false;
    };

    void tellClosed(const std::optional<Error>& reason) NIO_REQUIRES(onDispatcher);
    void watchIdle() NIO_REQUIRES(onDispatcher);
    void touchIdle() NIO_REQUIRES(onDispatcher) {
        if (idle_ != nullptr) idle_->touch();
    }
    void received(const Received& received) NIO_REQUIRES(onDispatcher);
    void take(ByteView bytes) NIO_REQUIRES(onDispatcher);
    [[gnu::cold]] void receivedNothing(const Received& received) NIO_REQUIRES(onDispatcher);
    [[gnu::cold]] void throwAway(ByteView bytes) NIO_REQUIRES(onDispatcher);
    [[gnu::cold]] void sendFailed(const IoResult& sent) NIO_REQUIRES(onDispatcher);
    [[gnu::cold]] void outputLimitPassed() NIO_REQUIRES(onDispatcher);
    [[gnu::cold]] void endOfStream() NIO_REQUIRES(onDispatcher);
    [[gnu::hot]] void settle() NIO_REQUIRES(onDispatcher);
    // The usual state after a callback: all output sent, reads active, nothing ending.
    bool isInSteadyState() const;
    [[gnu::noinline]] void settleRest() NIO_REQUIRES(onDispatcher);
    bool flushOutput(bool& progress) NIO_REQUIRES(onDispatcher);
    [[gnu::cold]] void countClosed(CloseReason reason, int code) NIO_REQUIRES(onDispatcher);
    [[gnu::hot]] bool tellFlushed() NIO_REQUIRES(onDispatcher);
    [[gnu::cold]] void finishWriting() NIO_REQUIRES(onDispatcher);
    [[gnu::cold]] bool endWaits() NIO_REQUIRES(onDispatcher);
    [[gnu::noinline]] void countBuffered() NIO_REQUIRES(onDispatcher);
    bool isShortOfMemory() const NIO_REQUIRES(onDispatcher);
    void updateInterest() NIO_REQUIRES(onDispatcher);
    [[gnu::cold]] void markCrossed() NIO_REQUIRES(onDispatcher);
    [[gnu::noinline]] void updateMark() NIO_REQUIRES(onDispatcher);
    bool isAboveMark() NIO_REQUIRES(onDispatcher);
    void settleLater() NIO_REQUIRES(onDispatcher);
    [[gnu::cold]] void beginFilter() NIO_REQUIRES(onDispatcher);
    [[gnu::noinline]] void decodeInput(ByteView bytes) NIO_REQUIRES(onDispatcher);
    [[gnu::noinline]] void sendFiltered(ByteView bytes) NIO_REQUIRES(onDispatcher);
    void encodeOutput() NIO_REQUIRES(onDispatcher);
    void finishFilter() NIO_REQUIRES(onDispatcher);
    [[gnu::noinline]] void settleFilter() NIO_REQUIRES(onDispatcher);
    void filterFailed(const Error& error) NIO_REQUIRES(onDispatcher);
    bool tellCutOff() NIO_REQUIRES(onDispatcher);
    // The filter has seen the peer's end of stream; the protocol has not been told yet.
    bool peerFinishedIsDeferred() const {
        return filtered_ != nullptr && !filtered_->failed && !special_.peerFinished &&
               filtered_->filter->hasPeerFinished();
    }
    bool finishIsDeferred() const {
        return filtered_ != nullptr && !filtered_->failed && !filtered_->finished;
    }
    std::size_t filterHolds() const {
        return filtered_ == nullptr ? 0 : filtered_->filter->memory();
    }
    bool maySend() const {
        return !special_.closing && !special_.finWanted && !ended_ && channel_.isOpen();
    }
    bool wantsInput() const;
    bool isBudgetSpent() const {
        return special_.draining && !busy_ && autoPause_ && ending_->readBudget == 0;
    }
    void checkOutputLimit() NIO_REQUIRES(onDispatcher) {
        if (pendingBytes() > options_->outputLimit) [[unlikely]]
            outputLimitPassed();
    }
    [[gnu::cold]] void linger(bool progress) NIO_REQUIRES(onDispatcher);
    [[gnu::cold]] Ending& ending() NIO_REQUIRES(onDispatcher);
    [[gnu::cold]] Deadline& endDeadline() NIO_REQUIRES(onDispatcher);
    IoResult writeThrough(ByteView bytes) NIO_REQUIRES(onDispatcher);
    [[gnu::cold]] void awaitPeer(std::chrono::milliseconds time) NIO_REQUIRES(onDispatcher);
    [[gnu::cold]] bool isPeerTaking() NIO_REQUIRES(onDispatcher);
    [[gnu::cold]] void deadlineOver() NIO_REQUIRES(onDispatcher);
    [[gnu::cold]] void spendBudget(std::size_t bytes) NIO_REQUIRES(onDispatcher);

    std::shared_ptr<const StreamOptions> options_;
    ConnectionPermit permit_;
    std::unique_ptr<IdleHook> idle_;  // only with an idle timeout
    std::unique_ptr<Ending> ending_;
    std::unique_ptr<Filtered> filtered_;
    // These fields reuse `channel_`'s tail padding.
    [[no_unique_address]] SocketChannel channel_;
    Special special_;
    bool inCallback_ : 1 = false;
    bool wroteSome_ : 1 = false;  // outputFlushed() is pending
    bool lingers_ : 1 = false;    // the deadline belongs to closeAfterFlush
    bool ended_ : 1 = false;
    bool counted_ : 1 = false;       // the dispatcher counts its buffers, or must
    bool budgetPaused_ : 1 = false;  // above the mark only because of the budget
    bool busy_ : 1 = false;          // set by the protocol
    bool evictFirst_ : 1 = false;
    bool aboveMark_ : 1 = false;
    bool autoPause_ : 1;
    bool relayed_ : 1 = false;
};

}  // namespace nio
