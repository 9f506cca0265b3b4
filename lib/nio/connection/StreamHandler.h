// A connection as bytes in and bytes out: the state machine that every stream protocol needs, with
// its limits. A protocol derives from it (Pipeline does) and says what bytes mean.
//
// The article's five states: waiting for data (read interest), reading (inside bytesArrived),
// processing (pauseReading until the answer is there), writing (the one flush after each callback),
// waiting to write (write interest, only while the kernel takes no more).
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
// half-closes and keeps reading; shutdownRead() is its opposite. abort() resets.
//
// A derived class may encode output, for TLS say: StreamEncoding.h. In a pipeline a stage does
// that: Stage.h.
//
// With StreamOptions::movable the connection can migrate to another dispatcher unless it is closing
// or draining. Pending input and output, a pause and the idle time migrate with it.
//
// Thread: the dispatcher's own (WrongThreadError elsewhere), except construction.
// Lifetime: the key's, see SelectorHandlers.h. connectionClosed() is the last callback, exactly
// once, unless the handler was never registered, or another one has taken its channel over.
// Source: ONJava article 2004, figure 2.
#pragma once

#include <nio/connection/StreamState.h>

namespace nio {

class StreamHandler : public StreamState {
  public:
    using StreamState::StreamState;

    // For the dispatcher.
    void handleRegistered() final NIO_REQUIRES(onDispatcher);
    [[gnu::hot]] void handleRead() final NIO_REQUIRES(onDispatcher);
    void handleWrite() final NIO_REQUIRES(onDispatcher) { settle(); }
    void handleFlush() final NIO_REQUIRES(onDispatcher) { settle(); }
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

  protected:
    void peerFinished() override NIO_REQUIRES(onDispatcher) { closeAfterFlush(); }

  private:
    void received(const Received& received) NIO_REQUIRES(onDispatcher);
    [[gnu::cold, gnu::noinline]] void receivedNothing(const Received& received)
        NIO_REQUIRES(onDispatcher);
    [[gnu::noinline]] void takeSpecially(ByteView bytes) NIO_REQUIRES(onDispatcher);
    void take(ByteView bytes) NIO_REQUIRES(onDispatcher);
    [[gnu::noinline]] void takeEncoded(ByteView bytes) NIO_REQUIRES(onDispatcher);
    [[gnu::cold]] void endOfStream() NIO_REQUIRES(onDispatcher);
    [[gnu::hot]] void settle() NIO_REQUIRES(onDispatcher);
    // The usual state after a callback: all output sent, reads active, nothing ending.
    bool isInSteadyState() const {
        return !special_.any() && channel_.pendingBytes() == 0 && channel_.isOpen();
    }
    [[gnu::noinline]] void settleRest() NIO_REQUIRES(onDispatcher);
    [[gnu::noinline]] void settleEncoding() NIO_REQUIRES(onDispatcher);
    [[gnu::cold]] bool endsOutput() const;
    bool flushOutput(bool& progress) NIO_REQUIRES(onDispatcher);
    [[gnu::always_inline]] bool tellFlushed() NIO_REQUIRES(onDispatcher);
    [[gnu::cold]] void finishWriting() NIO_REQUIRES(onDispatcher);
    [[gnu::cold]] bool endWaits() NIO_REQUIRES(onDispatcher);
    [[gnu::noinline]] void updateMark() NIO_REQUIRES(onDispatcher);
    [[gnu::cold]] void markCrossed() NIO_REQUIRES(onDispatcher);
    bool wantsInput() const;
    void updateInterest() NIO_REQUIRES(onDispatcher);

    [[gnu::cold]] void linger(bool progress) NIO_REQUIRES(onDispatcher);
    [[gnu::cold]] Closing& timedClosing() NIO_REQUIRES(onDispatcher);
    [[gnu::cold]] void deadlineOver() NIO_REQUIRES(onDispatcher);
    [[gnu::cold]] void tellClosed(const std::optional<Error>& reason) NIO_REQUIRES(onDispatcher);
};

}  // namespace nio
