// Selector on io_uring (Linux 6.1 and later): presents completed operations as readiness. Sockets
// with read interest have a receive in flight; all other channels, including listeners, are polled.
// One call per turn submits all output, waits, and collects the completions.
//
// Received input makes its key ready in each select until it is taken, as with the other engines.
// Before a select waits, receives of keys without read interest are cancelled. Input that they have
// received is kept in the channel; the rest stays in the kernel, which slows the peer down.
//
// Peers that send little at a time get a multishot receive. A new channel, or one with more than a
// buffer's bytes or mostWaiting buffers of input, receives one buffer per turn until a receive
// empties its socket. So a peer that starts to flood takes at most as many buffers as the kernel
// fills at once (32 in Linux 6.7 and later).
//
// When a key is cancelled with operations in flight, they are cancelled and reaped immediately: its
// descriptor closes at once, and no queued operation can act on another channel with the same
// descriptor number.
//
// Thread: the dispatcher's own. A ring belongs to the thread that waits; another thread, or a
// forked process, that makes the turns gets a new ring.
#pragma once

#include <memory>

#include <nio/channel/SocketChannel.h>
#include <nio/selector/Selector.h>
#include <nio/selector/uring/UringDescriptor.h>
#include <nio/selector/uring/UringIo.h>
#include <nio/selector/uring/UringReadyList.h>
#include <nio/selector/uring/UringStarved.h>

namespace nio {

class UringSelector final : public Selector {
  public:
    // Upper limit of the bytes per receive, whatever SelectorOptions allow.
    static constexpr std::size_t maximumBufferBytes = 64 * 1024;

    static Result<std::unique_ptr<Selector>> open(const SelectorOptions& options);

    std::string_view name() const override { return "uring"; }
    ChannelIo& io() override { return io_; }
    Result<int> descriptor() override NIO_REQUIRES(onDispatcher) {
        return descriptor_.open(*ring_, wakeUp()->fd());
    }
    // Also what has not been submitted: the ring cannot tell of it.
    bool hasWork() const override NIO_REQUIRES(onDispatcher) {
        return mayNotSleep() || io_.hasOutput() || !ring_->isAllSubmitted();
    }
    Result<void> handOver() override NIO_REQUIRES(onDispatcher);

  protected:
    bool detach(SelectionKey& key) override NIO_REQUIRES(onDispatcher);
    void noteUnread(SelectionKey& key) override NIO_REQUIRES(onDispatcher) {
        ready_.add(*key.operations_);
    }

  private:
    // With more waiting buffers than this a channel receives one buffer per turn.
    static constexpr std::size_t mostWaiting = 4;

    using Operations = UringOperations;
    using Kind = Operations::Kind;

    UringSelector(kernel::UringBuffers buffers, const SelectorOptions& options);

    Result<void> watch(SelectionKey& key) override NIO_REQUIRES(onDispatcher);
    void unwatch(SelectionKey& key) override NIO_REQUIRES(onDispatcher);
    Result<void> rearm(SelectionKey& key) override NIO_REQUIRES(onDispatcher);
    Result<void> renew() override NIO_REQUIRES(onDispatcher) { return newRing(Before::elsewhere); }
    [[gnu::hot]] Result<void> wait(kernel::WaitTime wait) override NIO_REQUIRES(onDispatcher);

    bool mayNotSleep() const NIO_REQUIRES(onDispatcher);
    // One call to the kernel, and the processing of its completions.
    [[gnu::hot]] Result<void> pump(kernel::WaitTime wait) NIO_REQUIRES(onDispatcher);
    void pumpUntilOver(const Operations& operations) NIO_REQUIRES(onDispatcher);
    [[gnu::hot]] void reap() NIO_REQUIRES(onDispatcher);
    [[gnu::hot]] void reap(const kernel::Completion& completion) NIO_REQUIRES(onDispatcher);
    [[gnu::hot]] void received(Operations& operations, const kernel::Completion& completion)
        NIO_REQUIRES(onDispatcher);
    void watchForFlood(Operations& operations, bool leftSome);
    void polled(Operations& operations, Kind kind, std::int32_t result) NIO_REQUIRES(onDispatcher);
    void notArmed(Operations& operations, Interest interest) NIO_REQUIRES(onDispatcher);
    // The owner of the previous ring: another thread of this process, or the parent process.
    enum class Before { here, elsewhere };
    Result<void> newRing(Before before) NIO_REQUIRES(onDispatcher);

    void rearmStream(SelectionKey& key) NIO_REQUIRES(onDispatcher);
    void rearmListener(SelectionKey& key) NIO_REQUIRES(onDispatcher);
    void rearmOther(SelectionKey& key) NIO_REQUIRES(onDispatcher);
    void receiveAgain(Operations& operations) NIO_REQUIRES(onDispatcher);
    void makeRoom();
    void watchWakeUp() NIO_REQUIRES(onDispatcher);
    void replenishBuffers() NIO_REQUIRES(onDispatcher);
    void cancelAll(Operations& operations);
    void cancelInput(Operations& operations);
    void endOperations(Operations& operations) NIO_REQUIRES(onDispatcher);

    [[gnu::hot]] bool isReady(Operations& operations) NIO_REQUIRES(onDispatcher);
    [[gnu::hot]] void sweep() NIO_REQUIRES(onDispatcher);
    [[gnu::hot]] void offerReady() NIO_REQUIRES(onDispatcher);

    UringTable table_;
    UringIo io_;
    UringReadyList ready_{table_};
    UringStarved starved_{table_};
    std::size_t maxSelectedKeys_;
    std::unique_ptr<kernel::Uring> ring_;
    UringDescriptor descriptor_;
    bool cancelled_ = false;  // a cancellation may not be submitted yet
    bool watching_ = false;   // the wake-up is polled
    bool woken_ = false;      // signalled since the wait began
    bool moved_ = false;      // input was moved into a channel, whose handler must be told
};

}  // namespace nio
