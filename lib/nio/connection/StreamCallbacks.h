// What a protocol overrides: the events of its connection (StreamHandler.h).
//
// Thread: the dispatcher's own. Output sent in a callback leaves when it returns.
#pragma once

#include <optional>

#include <nio/base/Bytes.h>
#include <nio/loop/SelectorHandlers.h>

namespace nio {

class StreamCallbacks : public MovableHandler {
  protected:
    // The handler is registered and may send. Called before the first bytesArrived().
    virtual void connectionOpened() NIO_REQUIRES(onDispatcher) {}
    // `bytes` is valid during the call.
    virtual void bytesArrived(ByteView bytes) NIO_REQUIRES(onDispatcher) = 0;
    // EOF: the peer has finished sending (FIN) and may still read. Default: closeAfterFlush().
    virtual void peerFinished() NIO_REQUIRES(onDispatcher) = 0;
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

    // Called after revisitInput() to process kept bytes that bytesArrived() has seen, and after
    // shutdownRead() to free them.
    virtual void inputRevisited() NIO_REQUIRES(onDispatcher) {}
    // Bytes kept by the derived class; they count as unread when the connection ends.
    virtual std::size_t keptInputBytes() const { return 0; }
    // The memory that they take.
    virtual std::size_t keptInputMemory() const { return keptInputBytes(); }

    // Another dispatcher works for this connection: a drain waits for it, as for setBusy().
    virtual bool isBusyElsewhere() const { return false; }

    // Output that the derived class encodes. Called only after StreamEncoding::start().
    // Before each flush: encodes what was sent and, if `ends`, our end of stream once no output is
    // held. Returns whether the end is encoded.
    virtual bool encodeOutput(bool ends) NIO_REQUIRES(onDispatcher) { return ends; }
    // Sent, but not encoded yet.
    virtual std::size_t heldOutputBytes() const { return 0; }
    // A handshake: a pause does not stop reads, and shutdownWrite() takes effect after it.
    virtual bool needsInput() const { return false; }
};

}  // namespace nio
