// What a derived class of StreamHandler does with its connection when it encodes output and decodes
// input itself, as TLS does. See encodeOutput() in StreamCallbacks.h.
//
//     StreamEncoding(*this).start();
//
// Thread: the dispatcher's own.
// Lifetime: the connection's.
#pragma once

#include <nio/connection/StreamState.h>

namespace nio {

class StreamEncoding {
  public:
    explicit StreamEncoding(StreamState& stream) : stream_(stream) {}

    // From now on encodeOutput() is called before each flush.
    void start() NIO_REQUIRES(onDispatcher);
    bool hasStarted() const { return stream_.special_.encodes; }

    // Around what the application sends: returns false if it may not send any more.
    bool beginSend() NIO_REQUIRES(onDispatcher);
    void endSend() NIO_REQUIRES(onDispatcher);
    // A stage holds output: makes sure that flush() is called.
    void flushLater() NIO_REQUIRES(onDispatcher) { stream_.settleLater(); }
    // Queues a copy of encoded output, also while the connection is closing, until FIN has left.
    void send(ByteView encoded) NIO_REQUIRES(onDispatcher);

    // The peer's end of stream has been decoded. The network is not read any more.
    void endInput() NIO_REQUIRES(onDispatcher);
    // Decoded after the close.
    void discardInput(std::size_t bytes) {
        if (stream_.special_.closing) stream_.closing().discard(bytes);
    }

    // failAfterFlush(); `lostBytes`, if any, were sent and cannot be encoded. They count as unsent,
    // and the error is then reported also if the connection is closing.
    void fail(Error reason, std::size_t lostBytes) NIO_REQUIRES(onDispatcher);

    // For a connection whose input comes from another dispatcher (nio::on): counts it for a drain.
    void noteInput(std::size_t bytes) NIO_REQUIRES(onDispatcher);
    // What the application has requested and the connection has not completed.
    bool isClosing() const { return stream_.special_.closing; }
    bool isFinishing() const { return stream_.special_.finWanted; }
    const Error* failureReason() const { return stream_.failureReason(); }
    bool isBusy() const { return stream_.busy_ || stream_.isReadingPaused(); }
    // Bytes kept until they may be delivered, without the beginning of an incomplete packet.
    std::size_t heldInput() const {
        const ReadGate& gate = stream_.special_.gate;
        const bool isRead = gate.has(ReadGate::Reason::shut) ||
                            (stream_.mayDeliver() && !gate.has(ReadGate::Reason::revisit));
        return isRead ? 0 : stream_.remains().unreadBytes;
    }
    // abort() with a reason.
    void abort(std::optional<Error> reason) NIO_REQUIRES(onDispatcher) {
        stream_.end(std::move(reason), true);
    }

  private:
    StreamState& stream_;
};

}  // namespace nio
