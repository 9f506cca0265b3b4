// Relays bytes between two connections until both have ended: the core of a TCP proxy.
//
//     nio::Result<void> piped = nio::pipe(client, server);
//
// - What one side sends is sent to the other, in order and unchanged. Bytes that have arrived and
//   that no packet was made of yet come first. With a filter (TLS) plain bytes are relayed.
// - Backpressure: while the output of one side is above its high-water mark, the other is not read.
//   Neither is paused by output of its own, so two peers that both send before they read cannot
//   block each other. While the memory budget is short any pending output is above the mark.
// - A half-close (FIN) is passed on behind the bytes before it; the other direction goes on. Where
//   one connection ends in an orderly way the other sends what is pending and ends likewise. A
//   reset or any other error of one resets the other.
// - A drain closes both once neither has moved a byte for its quiet period, and limits the time but
//   not the bytes.
//
// From then on the relay owns both: do not send, pause or resume. Their listeners hear of the end
// only (socketDisconnected, socketException). To end a relay call closeAfterFlush() or abort() of
// either. takeChannel() is refused, and neither connection is moved to another dispatcher.
//
// Thread: the dispatcher's own, of both connections.
// Lifetime: the connections own the relay.
// Errors: invalid_argument: one connection twice, one that is piped already, or two of different
// dispatchers (make the second one on the dispatcher of the first, or move it there);
// not_connected: one has ended, closes, or has sent its FIN. Then nothing has changed, and so it is
// when std::bad_alloc comes out.
#pragma once

#include <nio/connection/PacketChannel.h>

namespace nio {

Result<void> pipe(PacketChannel& first, PacketChannel& second) NIO_REQUIRES(onDispatcher);

}  // namespace nio
