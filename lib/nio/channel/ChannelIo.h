// The engine behind the channels of one dispatcher: all that touches their descriptors.
//
// Readiness engines (epoll, poll) share one implementation, ReadinessIo; a completion engine
// supplies its own. Handlers never see it: SocketChannel and ServerSocketChannel are the only road.
//
// Thread: the dispatcher's own.
#pragma once

#include <nio/base/Bytes.h>
#include <nio/base/ThreadRole.h>
#include <nio/channel/ChunkPool.h>
#include <nio/channel/IoCounters.h>
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

class ChannelIo {
  public:
    virtual ~ChannelIo() = default;

    virtual Received receive(SocketChannel& channel) NIO_REQUIRES(onDispatcher) = 0;
    // Sends `direct` behind all that is queued; what the kernel does not take is queued.
    // bytes = what the kernel took now.
    virtual IoResult write(SocketChannel& channel, ByteView direct) NIO_REQUIRES(onDispatcher) = 0;
    // Hands the kernel what is queued, in one call.
    virtual IoResult flush(SocketChannel& channel) NIO_REQUIRES(onDispatcher) = 0;

    // FIN behind all that write() and flush() have handed over.
    virtual Result<void> shutdownWrite(SocketChannel& channel) NIO_REQUIRES(onDispatcher) = 0;

    // Whether what was handed over is still to be tried, so that some of it may count as pending
    // again: known after the next wait. Engines whose calls send at once have nothing of the kind.
    virtual bool isSending(SocketChannel&) { return false; }

    virtual IoResult connect(SocketChannel& channel, const SocketAddress& address)
        NIO_REQUIRES(onDispatcher) = 0;
    virtual IoResult connectOutcome(SocketChannel& channel) NIO_REQUIRES(onDispatcher) = 0;
    virtual kernel::Accepted accept(ServerSocketChannel& channel) NIO_REQUIRES(onDispatcher) = 0;

    ChunkPool& chunks() { return chunks_; }
    // Written by the channels. Read by any thread.
    IoCounters& counters() { return counters_; }

  protected:
    // One attempt, by a call of its own, to send what is queued, and the FIN that is owed behind
    // it.
    IoResult sendQueued(SocketChannel& channel);
    static void finishIfDue(SocketChannel& channel);

  private:
    ChunkPool chunks_;
    IoCounters counters_;
};

}  // namespace nio
