// Relays bytes between two connections until both have ended: the core of a TCP proxy.
//
//     nio::Result<void> piped = nio::pipe(client, server);
//
// - What the application of one would receive is sent by the other, through the stages of both:
//   plain bytes behind TLS, whole packets behind a framing. Behind raw() all bytes pass in order
//   and unchanged.
// - Backpressure: while the output of one side is above its high-water mark, reads of the other are
//   paused. Output of its own does not pause a side, so two peers that both send before they read
//   cannot block each other. While the memory budget is exceeded any pending output is above the
//   mark.
// - A half-close (FIN) is forwarded after the bytes before it; the other direction continues. If
//   one connection closes normally, the other sends its pending output and closes. A reset or any
//   other error of one resets the other.
// - A drain closes both once neither has moved a byte for its quiet period; it limits the time, not
//   the bytes.
//
// From then on the relay controls both: do not send, pause or resume. Their applications are told
// only of flushed output, of the water marks and of the end. To end a relay call closeAfterFlush()
// or abort() of either. replaceWith() is refused, and neither connection migrates to another
// dispatcher.
//
// Thread: the dispatcher's own, of both connections.
// Lifetime: the connections own the relay.
// Errors: invalid_argument: both are the same connection, one is piped already, an application
// receives or sends something else than bytes, or they are on different dispatchers (open the
// second one on the dispatcher of the first, or migrate it there); not_connected: one has ended, is
// closing, or has sent its FIN. After an error or std::bad_alloc nothing has changed.
#pragma once

#include <nio/connection/Peer.h>

namespace nio {

Result<void> pipe(Peer& first, Peer& second) NIO_REQUIRES(onDispatcher);

}  // namespace nio
