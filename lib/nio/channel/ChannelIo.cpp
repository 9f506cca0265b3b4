#include <nio/channel/ChannelIo.h>

#include <array>

#include <nio/channel/SocketChannel.h>

namespace nio {

IoResult ChannelIo::sendQueued(SocketChannel& channel) {
    if (channel.failure() != std::errc{}) return IoResult::failed(channel.failure());
    std::array<iovec, 64> pieces;
    OutputQueue& queue = channel.output();
    if (queue.empty()) return IoResult::done(0);
    const std::span<const iovec> front = queue.front(pieces);
    const IoResult sent =
        front.size() == 1 ? kernel::send(channel.fd(), {static_cast<const Byte*>(front[0].iov_base),
                                                        front[0].iov_len})
                          : kernel::sendPieces(channel.fd(), front);
    counters_.bytesOut.add(sent.bytes);
    queue.consume(sent.bytes, chunks());
    finishIfDue(channel);
    return sent;
}

// Errors are ignored: the next receive reports them.
void ChannelIo::finishIfDue(SocketChannel& channel) {
    if (channel.takeDeferredFin()) (void)kernel::shutdownWrite(channel.fd()).ok();
}

}  // namespace nio
