// Translates between a connection's bytes on the network and the plain bytes of its protocol, for
// encryption. A connection has at most one (setFilter).
//
//     network -> decode() -> plain -> ProtocolDecoder        plain -> encode() -> network
//
// Pure: no descriptor, no clock, no thread. It buffers at most one incomplete record of its own
// framing, and produces little more than its input; output sent before it is ready waits in the
// connection, not here.
//
// Thread: one at a time, in a connection its dispatcher.
// Lifetime: the connection's. Views and sinks are valid during the call; both sinks copy.
// Errors: an error is final: only the destructor is called after it. Its context describes the
// failure for a log; its code is filterFailed unless there is a better one. A last message to the
// peer (an alert) has been written to `network` before. Exceptions of a sink are passed on.
#pragma once

#include <cstddef>

#include <nio/base/Bytes.h>
#include <nio/base/Result.h>

namespace nio {

class ByteFilter {
  public:
    virtual ~ByteFilter() = default;

    // Called once, first: the connection is open, and no byte has arrived.
    virtual Result<void> begin(ByteSink& network) = 0;

    // Consumes all of `arrived`, which may begin and end anywhere in a record. Writes plain bytes
    // to `plain` and its own answers to `network`. Does not call back into the connection.
    virtual Result<void> decode(ByteView arrived, ByteSink& plain, ByteSink& network) = 0;

    // Whether encode() may be called: the handshake is done. Becomes true in begin() or decode().
    virtual bool isReady() const = 0;
    virtual Result<void> encode(ByteView plain, ByteSink& network) = 0;

    // Writes the end of our plain bytes in the peer filter's terms (close_notify in TLS); encode()
    // is not called any more. Called at most once, also before it is ready.
    virtual Result<void> finish(ByteSink& network) = 0;

    // The end of the peer's plain bytes has been decoded. An end of the network's stream without
    // it is a truncation.
    virtual bool hasPeerFinished() const = 0;

    // Bytes buffered now. They count for the memory budget (see MemoryBudget.h); read after
    // begin() and after each callback.
    virtual std::size_t memory() const { return 0; }
};

}  // namespace nio
