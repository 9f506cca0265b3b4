// A connection as bytes in and bytes out: the state machine that every stream protocol needs, with
// its limits. A protocol derives from it (PacketChannel does) and says what bytes mean.
//
// The article's five states: waiting for data (read interest), reading (inside bytesArrived),
// processing (pauseReading until the answer is there), writing (the one flush after each
// callback), waiting to write (write interest, only while the kernel takes no more).
//
// What is sent inside a callback leaves when that callback returns, in one system call; what is
// sent from tasks or other channels' callbacks leaves in the turn's flush, in one call too.
//
// Backpressure: while pending output is above the high-water mark this connection's own reading
// pauses, until that is below half of it; over the hard limit the connection is aborted. While the
// memory budget of all connections is short (MemoryBudget.h) any pending output counts as above the
// mark, until it has left. outputAboveMark() and outputBelowMark() tell the protocol. One whose
// input goes elsewhere than into its own output (a proxy) must decide by itself when to read, or
// two connections may wait for each other: setAutoPause(false), or nio::pipe (Pipe.h).
//
// Closing, three verbs: closeAfterFlush() sends what waits, then FIN, reads to the peer's end of
// stream (or the linger time-out, see StreamOptions), then closes: no answer is destroyed by a
// reset. shutdownWrite() half-closes and goes on reading. abort() resets.
//
// With a ByteFilter the protocol sees plain bytes; what it sends in one callback is encoded
// together when that returns. Before the filter is ready output waits (it counts as pending) and a
// pause does not stop reading: it would hold up the handshake. An error of the filter ends the
// connection as failAfterFlush does, though what waits cannot leave any more; packets that a
// pause has kept back are dropped. A FIN before the filter's own end of stream is truncated.
//
// With StreamOptions::movable it can be moved to another dispatcher in any state but one that ends
// (closing, draining): input and output that wait, a pause, a filter's handshake and the time idle
// travel along.
//
// Thread: the dispatcher's own, all of it (WrongThreadError elsewhere), except construction.
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
    // For whoever wants to post to this connection later. Once it is registered.
    ChannelHandle handle() NIO_REQUIRES(onDispatcher);
    void keep(ConnectionPermit permit) { permit_ = std::move(permit); }
    // For the handler that takes this one's channel over: the connection keeps its place.
    ConnectionPermit takePermit() { return std::move(permit_); }

    // Queues a copy. Ignored once closeAfterFlush, shutdownWrite or the end came before it. Over
    // StreamOptions::outputLimit, and where the memory for it fails, connectionClosed() is called
    // from inside; so it is by abort().
    void send(ByteView bytes) NIO_REQUIRES(onDispatcher);
    std::size_t pendingBytes() const {
        return channel_.pendingBytes() + (filtered_ == nullptr ? 0 : filtered_->plain.bytes());
    }

    // Calls do not nest. Bytes that have arrived already stay where they are until resumed.
    void pauseReading() NIO_REQUIRES(onDispatcher);
    void resumeReading() NIO_REQUIRES(onDispatcher);
    bool isReadingPaused() const { return special_.paused; }
    // Whether pending output above the mark, and the read budget of a drain, pause this
    // connection's own reading. On by default; off: only pauseReading() does.
    void setAutoPause(bool on) NIO_REQUIRES(onDispatcher);
    // Pending output has risen above the mark and is not below the low one yet.
    bool isOutputAboveMark() const { return aboveMark_; }

    // Something is under way that is not seen here, such as the answer of another server: a drain
    // takes neither the silence of this connection for its end nor what it has read for enough,
    // within its deadline.
    void setBusy(bool busy) NIO_REQUIRES(onDispatcher);

    // When the memory budget is used up, this connection is evicted before all that are not marked
    // so, if it holds anything: for a peer that has not authenticated. Also before registration.
    void setEvictFirst(bool evictFirst) NIO_REQUIRES(onDispatcher);

    // The ends. Also before registration, of a channel that nobody else has registered: then
    // connectionOpened() is still called, unless it is aborted.
    void closeAfterFlush() NIO_REQUIRES(onDispatcher);
    void shutdownWrite() NIO_REQUIRES(onDispatcher);
    void abort() NIO_REQUIRES(onDispatcher);
    // closeAfterFlush(), and connectionClosed() gets this reason: what was answered before the
    // mistake still reaches the peer.
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
    // Before registration. Whoever has a filter must cope with bytesArrived() while reading is
    // paused, and keep those bytes.
    void setFilter(std::unique_ptr<ByteFilter> filter);

    // The handler is registered and may send: before its first bytes.
    virtual void connectionOpened() NIO_REQUIRES(onDispatcher) {}
    // `bytes` is valid during the call.
    virtual void bytesArrived(ByteView bytes) NIO_REQUIRES(onDispatcher) = 0;
    // The peer has finished sending (FIN); it may still read. Ends in an orderly way by default.
    virtual void peerFinished() NIO_REQUIRES(onDispatcher) { closeAfterFlush(); }
    // The kernel has taken all that was sent so far.
    virtual void outputFlushed() NIO_REQUIRES(onDispatcher) {}
    // Pending output has risen above the high-water mark, and fallen below the low one: in turns,
    // once each, after the callback that sent, or when the kernel has taken some.
    virtual void outputAboveMark() NIO_REQUIRES(onDispatcher) {}
    virtual void outputBelowMark() NIO_REQUIRES(onDispatcher) {}
    // A move to another dispatcher: the last call on the old one and the first on the new one; what
    // is bound to a dispatcher is given up in the one and taken up again in the other.
    virtual void connectionLeaving() NIO_REQUIRES(onDispatcher) {}
    virtual void connectionArrived() NIO_REQUIRES(onDispatcher) {}
    // The end. No error: an orderly one. Do not send.
    virtual void connectionClosed(const std::optional<Error>&) NIO_REQUIRES(onDispatcher) {}
    // Bytes are kept that bytesArrived() has seen but not dealt with (revisitInput() asked for it).
    virtual void inputRevisited() NIO_REQUIRES(onDispatcher) {}

    // Sends from where the bytes are, without a copy, when nothing waits before them.
    void sendThrough(ByteView bytes) NIO_REQUIRES(onDispatcher);
    // Ends the connection with a reason: `reset` with RST, else with FIN behind what the kernel
    // takes at once, and no linger.
    [[gnu::cold]] void end(std::optional<Error> reason, bool reset) NIO_REQUIRES(onDispatcher);
    // Calls inputRevisited() in the next turn, or as soon as the output is below its low mark, and
    // reads nothing more until then.
    void revisitInput() NIO_REQUIRES(onDispatcher);
    // Bytes kept by the derived class: they count as unread if the connection ends now.
    virtual std::size_t keptInputBytes() const { return 0; }
    // The memory that they take.
    virtual std::size_t keptInputMemory() const { return keptInputBytes(); }
    // Who has kept this much says so before its callback returns; it counts until all is gone.
    static constexpr std::size_t countedInput = 1024;
    void inputKept() { counted_ = true; }
    bool mayDeliver() const {
        return !special_.paused && !special_.pressed && !special_.closing && channel_.isOpen();
    }
    // Enough is pending for no more packets to be delivered now.
    bool isOutputHigh() const { return pendingBytes() > options_->outputHighMark && autoPause_; }
    // For a relay: the connection is another one's output, and stays where that is.
    void beRelayed() { relayed_ = true; }
    bool isRelayed() const { return relayed_; }
    bool hasPeerFinished() const { return special_.peerFinished; }
    bool mayBeRelayed() const { return channel_.isRegistered() && maySend(); }
    // Bytes that a drain does not see move belong to this connection: its quiet period begins anew.
    void restartQuietPeriod() NIO_REQUIRES(onDispatcher);
    // WrongThreadError elsewhere than on the dispatcher, before anything is touched.
    void assertHere(const char* call) const {
        if (channel_.isRegistered()) channel_.registration()->owner().assertCurrent(call);
    }

  private:
    // Round everything that may call the protocol: what it sends meanwhile leaves when it returns.
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

    // Only a connection that drains or lingers needs it.
    struct Ending {
        std::optional<Deadline> deadline{};  // not before it is registered
        std::chrono::milliseconds lingerTime{0};
        std::chrono::milliseconds quietPeriod{0};
        std::size_t readBudget = 0;
        bool lookedAgain = false;
        std::size_t thrownAway = 0;
        std::size_t undelivered = 0;  // when it was last looked at
        TimePoint lingerEnd{};
        std::optional<Error> reason{};
    };

    // What is not so for most connections most of the time, in one byte: none of it is one compare.
    struct Special {
        bool paused : 1 = false;        // by the protocol
        bool pressed : 1 = false;       // reading pauses, by the output marks
        bool revisits : 1 = false;      // input is kept for the next turn
        bool peerFinished : 1 = false;  // FIN seen
        bool finWanted : 1 = false;     // shutdownWrite() was called
        bool finSent : 1 = false;
        bool closing : 1 = false;  // closeAfterFlush() was called: input is thrown away
        bool draining : 1 = false;

        bool any() const { return std::bit_cast<std::uint8_t>(*this) != 0; }
    };

    // Only a connection with a filter needs it.
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
    // What most callbacks leave behind: all was sent, reading goes on, nothing ends.
    bool isAtEase() const;
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
    // The filter knows that the peer has finished, the protocol does not yet.
    bool owesPeerFinished() const {
        return filtered_ != nullptr && !filtered_->failed && !special_.peerFinished &&
               filtered_->filter->hasPeerFinished();
    }
    bool owesFinish() const {
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
    std::unique_ptr<IdleHook> idle_;  // only with an idle time-out
    std::unique_ptr<Ending> ending_;
    std::unique_ptr<Filtered> filtered_;
    // What follows has its place where the channel would be padded.
    [[no_unique_address]] SocketChannel channel_;
    Special special_;
    bool inCallback_ : 1 = false;
    bool wroteSome_ : 1 = false;  // outputFlushed() is owed
    bool lingers_ : 1 = false;    // the deadline is that of closeAfterFlush
    bool ended_ : 1 = false;
    bool counted_ : 1 = false;   // the dispatcher counts, or is to count, what it holds
    bool squeezed_ : 1 = false;  // above the mark by the memory budget alone
    bool busy_ : 1 = false;      // the protocol says so
    bool evictFirst_ : 1 = false;
    bool aboveMark_ : 1 = false;
    bool autoPause_ : 1 = true;
    bool relayed_ : 1 = false;
};

}  // namespace nio
