// ChannelIo for readiness engines: plain non-blocking system calls, and one receive buffer for the
// whole dispatcher, so that idle connections need none.
//
// Thread: the dispatcher's own.
#pragma once

#include <nio/channel/ChannelIo.h>

namespace nio {

class ReadinessIo final : public ChannelIo {
  public:
    // One receive reads at most `receiveBufferBytes` (at least 1), the limit per channel and turn.
    // Input left in the socket is reported again by the next select.
    explicit ReadinessIo(std::size_t receiveBufferBytes);

    [[gnu::hot]] Received receive(SocketChannel& channel) override NIO_REQUIRES(onDispatcher);
    [[gnu::hot]] IoResult write(SocketChannel& channel, ByteView direct) override
        NIO_REQUIRES(onDispatcher);
    IoResult flush(SocketChannel& channel) override NIO_REQUIRES(onDispatcher);
    Result<void> shutdownWrite(SocketChannel& channel) override NIO_REQUIRES(onDispatcher);
    IoResult connect(SocketChannel& channel, const SocketAddress& address) override
        NIO_REQUIRES(onDispatcher);
    IoResult connectOutcome(SocketChannel& channel) override NIO_REQUIRES(onDispatcher);
    kernel::Accepted accept(ServerSocketChannel& channel) override NIO_REQUIRES(onDispatcher);

  private:
    [[gnu::cold]] Received receiveUnread(SocketChannel& channel) NIO_REQUIRES(onDispatcher);
    [[gnu::noinline]] IoResult writeBehind(SocketChannel& channel, ByteView direct)
        NIO_REQUIRES(onDispatcher);
    [[gnu::noinline]] IoResult keepRest(SocketChannel& channel, ByteView direct, IoResult sent)
        NIO_REQUIRES(onDispatcher);

    std::unique_ptr<Byte[]> scratch_;
    std::size_t scratchBytes_;
};

}  // namespace nio
