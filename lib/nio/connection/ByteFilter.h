// What stands between a connection's bytes on the network and the plain bytes that its protocol
// sees: encryption. A PacketChannel has one optional slot for it (setFilter).
//
//     network -> decode() -> plain -> ProtocolDecoder        plain -> encode() -> network
//
// Pure: no descriptor, no clock, no thread. It keeps no more than one incomplete unit of its own
// framing, and gives out not much more than it takes in; what is sent before it is ready waits in
// the connection, not here.
//
// Thread: one at a time, in a connection its dispatcher.
// Lifetime: the connection's. Views and sinks are valid during the call; both sinks copy.
// Errors: a value is final: nothing is called after it but the destructor. Its context says what
// happened, in words for a log; its code is filterFailed unless there is a better one. What must
// still be said to the peer (an alert) has been given to `network` before. What a sink throws goes
// through unchanged.
#pragma once

#include <cstddef>

#include <nio/base/Bytes.h>
#include <nio/base/Result.h>

namespace nio {

class ByteFilter {
  public:
    virtual ~ByteFilter() = default;

    // The connection is there, nothing has arrived yet. Called once, first.
    virtual Result<void> begin(ByteSink& network) = 0;

    // Takes in all of `arrived`, which begins and ends anywhere; gives what it means to `plain`,
    // and to `network` what it answers by itself. Does not call back into the connection.
    virtual Result<void> decode(ByteView arrived, ByteSink& plain, ByteSink& network) = 0;

    // Whether encode() may be called: the handshake is done. Becomes true in begin() or decode().
    virtual bool isReady() const = 0;
    virtual Result<void> encode(ByteView plain, ByteSink& network) = 0;

    // The end of our plain bytes, as the peer's filter will recognise it; nothing is encoded any
    // more. Called at most once, also before it is ready.
    virtual Result<void> finish(ByteSink& network) = 0;

    // The end of the peer's plain bytes has been decoded. An end of the network's stream without
    // it is a truncation.
    virtual bool hasPeerFinished() const = 0;

    // Bytes that it holds now. They count for the memory budget (see MemoryBudget.h); asked after
    // begin() and after each callback.
    virtual std::size_t memory() const { return 0; }
};

}  // namespace nio
