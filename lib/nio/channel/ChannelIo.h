// The I/O engine of the channels of one dispatcher: the only code that uses their descriptors.
//
// Readiness engines (epoll, poll) share one implementation, ReadinessIo; a completion engine has
// its own. Handlers use it only through SocketChannel and ServerSocketChannel.
//
// Thread: the dispatcher's own.
#pragma once

#include <cstdint>

#include <nio/base/Bytes.h>
#include <nio/base/Published.h>
#include <nio/base/ThreadRole.h>
#include <nio/channel/ChunkPool.h>
#include <nio/sys/IoResult.h>
#include <nio/sys/Kernel.h>
#include <nio/sys/SocketAddress.h>

namespace nio {

class ServerSocketChannel;
class SocketChannel;

// `bytes` is valid until the callback returns or the next receive on this dispatcher.
struct Received {
    IoStatus status = IoStatus::wouldBlock;
    std::errc code{};
    ByteView bytes{};
};

// I/O statistics of the channels of one dispatcher. The numbers never decrease.
// Thread: written by the dispatcher's own; read by any.
struct IoCounters {
    Published<std::uint64_t> bytesIn;   // returned by receive()
    Published<std::uint64_t> bytesOut;  // accepted by the kernel
    // Accepted by the engine, at the time of the call. If the kernel later accepts only a part, the
    // rest is handed over, and counted, again.
    Published<std::uint64_t> bytesHandedOver;
    Published<std::uint64_t> receivesInVain;  // receive() would block (EAGAIN)
    Published<std::uint64_t> sendsHeldUp;     // send() would block, or was short
    Published<std::uint64_t> accepts;
};

class ChannelIo {
  public:
    virtual ~ChannelIo() = default;

    virtual Received receive(SocketChannel& channel) NIO_REQUIRES(onDispatcher) = 0;
    // Sends queued output, then `direct`; queues what the kernel does not accept.
    // bytes: accepted by the kernel now.
    virtual IoResult write(SocketChannel& channel, ByteView direct) NIO_REQUIRES(onDispatcher) = 0;
    // Writes queued output to the kernel, in one call.
    virtual IoResult flush(SocketChannel& channel) NIO_REQUIRES(onDispatcher) = 0;

    // Sends FIN after all output passed to write() and flush().
    virtual Result<void> shutdownWrite(SocketChannel& channel) NIO_REQUIRES(onDispatcher) = 0;

    // Whether output handed over is not sent yet, so that part of it may become pending again after
    // the next wait. Always false for engines that send immediately.
    virtual bool isSending(SocketChannel&) { return false; }

    virtual IoResult connect(SocketChannel& channel, const SocketAddress& address)
        NIO_REQUIRES(onDispatcher) = 0;
    virtual IoResult connectOutcome(SocketChannel& channel) NIO_REQUIRES(onDispatcher) = 0;
    virtual kernel::Accepted accept(ServerSocketChannel& channel) NIO_REQUIRES(onDispatcher) = 0;

    ChunkPool& chunks() { return chunks_; }
    // Written by the channels. Read by any thread.
    IoCounters& counters() { return counters_; }

  protected:
    // One attempt to send queued output and a deferred FIN, with a system call of its own.
    IoResult sendQueued(SocketChannel& channel);
    static void finishIfDue(SocketChannel& channel);

  private:
    ChunkPool chunks_;
    IoCounters counters_;
};

}  // namespace nio
