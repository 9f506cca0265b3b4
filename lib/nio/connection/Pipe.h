// Relays bytes between two connections until both have ended: the core of a TCP proxy.
//
//     nio::Result<void> piped = nio::pipe(client, server);
//
// - Bytes of one side are sent to the other, in order and unchanged, beginning with received bytes
//   that form no complete packet yet.
// - Backpressure: while the output of one side is above its high-water mark, reads of the other are
//   paused. Output of its own does not pause a side, so two peers that both send before they read
//   cannot block each other. While the memory budget is exceeded any pending output is above the
//   mark.
// - A half-close (FIN) is forwarded after the bytes before it; the other direction continues. If
// one
//   connection closes normally, the other sends its pending output and closes. A reset or any other
//   error of one resets the other.
// - A drain closes both once neither has moved a byte for its quiet period; it limits the time, not
//   the bytes.
//
// From then on the relay controls both: do not send, pause or resume. Their listeners are only told
// of the end (socketDisconnected, socketException). To end a relay call closeAfterFlush() or
// abort() of either. takeChannel() is refused, and neither connection migrates to another
// dispatcher.
//
// Thread: the dispatcher's own, of both connections.
// Lifetime: the connections own the relay.
// Errors: invalid_argument: both are the same connection, one is piped already, or they are on
// different dispatchers (open the second one on the dispatcher of the first, or migrate it there);
// not_connected: one has ended, is closing, or has sent its FIN. After an error or std::bad_alloc
// nothing has changed.
#pragma once

#include <nio/connection/PacketChannel.h>

namespace nio {

Result<void> pipe(PacketChannel& first, PacketChannel& second) NIO_REQUIRES(onDispatcher);

}  // namespace nio
