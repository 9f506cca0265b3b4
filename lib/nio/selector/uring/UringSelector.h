// Selector on io_uring (Linux 6.1 and later): operations that the kernel completes, shown as
// readiness. Sockets with read interest are received from, everything else, also a listener, is
// polled. One call per turn hands over all that was sent, waits, and brings what has completed.
//
// What has arrived makes its key ready in each select until it is taken, as with the other engines.
// Before a select waits, the receive of each key that is not interested in reading is cancelled.
// What it had brought is kept with its channel; all else stays in the kernel, and the peer feels
// it.
//
// A standing receive is for those who send little at a time. A channel that is new, or for which
// more than a buffer's bytes or mostWaiting buffers have arrived, is received from one buffer per
// turn, until that one empties its socket. So who begins to flood may once have as many buffers
// taken as the kernel fills in one go (32 in Linux 6.7 and later), and no more.
//
// When a key ends while operations stand, they are cancelled and reaped there and then; so its
// descriptor closes at once, and no operation that was queued meets another channel under the same
// number.
//
// Thread: the dispatcher's own. The ring belongs to the thread that waits; when another one makes
// the turns, or a process that was forked, it gets a new one.
#pragma once

#include <memory>
#include <vector>

#include <nio/channel/SocketChannel.h>
#include <nio/selector/Selector.h>
#include <nio/selector/uring/UringIo.h>

namespace nio {

class UringSelector final : public Selector {
  public:
    // What is shown by one receive at most, whatever SelectorOptions allow.
    static constexpr std::size_t maximumBufferBytes = 64 * 1024;

    static Result<std::unique_ptr<Selector>> open(const SelectorOptions& options);
    ~UringSelector() override;

    std::string_view name() const override { return "uring"; }
    ChannelIo& io() override { return io_; }
    Result<void> handOver() override NIO_REQUIRES(onDispatcher);

  protected:
    bool letGo(SelectionKey& key) override NIO_REQUIRES(onDispatcher);
    void noteUnread(SelectionKey& key) override NIO_REQUIRES(onDispatcher) {
        list(*key.operations_);
    }

  private:
    // Buffers of one channel, beyond which it is received from once per turn.
    static constexpr std::size_t mostWaiting = 4;

    using Operations = UringOperations;
    // What a completion is of: the low bits of its tag; the others are the Operations.
    enum class Kind : std::uint8_t { receive = 1, pollIn, pollOut, send, wakeUp };

    UringSelector(kernel::UringBuffers buffers, const SelectorOptions& options);

    Result<void> watch(SelectionKey& key) override NIO_REQUIRES(onDispatcher);
    void unwatch(SelectionKey& key) override NIO_REQUIRES(onDispatcher);
    Result<void> rearm(SelectionKey& key) override NIO_REQUIRES(onDispatcher);
    Result<void> renew() override NIO_REQUIRES(onDispatcher) { return newRing(Before::elsewhere); }
    [[gnu::hot]] Result<void> wait(kernel::WaitTime wait) override NIO_REQUIRES(onDispatcher);

    bool mayNotSleep() const NIO_REQUIRES(onDispatcher);
    // One call to the kernel, and all that comes of it.
    [[gnu::hot]] Result<void> pump(kernel::WaitTime wait) NIO_REQUIRES(onDispatcher);
    void pumpUntilOver(const Operations& operations) NIO_REQUIRES(onDispatcher);
    // False: some of it has to wait for the next pump.
    [[gnu::hot]] bool submitSends() NIO_REQUIRES(onDispatcher);
    [[gnu::hot]] void settleSends() NIO_REQUIRES(onDispatcher);
    [[gnu::hot]] void reap() NIO_REQUIRES(onDispatcher);
    [[gnu::hot]] void reap(const kernel::Completion& completion) NIO_REQUIRES(onDispatcher);
    [[gnu::hot]] void received(Operations& operations, const kernel::Completion& completion)
        NIO_REQUIRES(onDispatcher);
    void watchForFlood(Operations& operations, bool leftSome);
    void polled(Operations& operations, Kind kind, std::int32_t result) NIO_REQUIRES(onDispatcher);
    void notArmed(Operations& operations, Interest interest) NIO_REQUIRES(onDispatcher);
    // Whose the ring was: another thread's, or that of the process which this one was forked from.
    enum class Before { here, elsewhere };
    Result<void> newRing(Before before) NIO_REQUIRES(onDispatcher);
    void takeSendsBack(Before before) NIO_REQUIRES(onDispatcher);

    void rearmStream(SelectionKey& key) NIO_REQUIRES(onDispatcher);
    void rearmListener(SelectionKey& key) NIO_REQUIRES(onDispatcher);
    void rearmOther(SelectionKey& key) NIO_REQUIRES(onDispatcher);
    void receiveAgain(Operations& operations) NIO_REQUIRES(onDispatcher);
    void poll(Operations& operations, Kind kind) NIO_REQUIRES(onDispatcher);
    void makeRoom();
    void watchWakeUp() NIO_REQUIRES(onDispatcher);
    // It waits for a buffer.
    void starve(Operations& operations);
    void feedTheHungry() NIO_REQUIRES(onDispatcher);
    void cancelAll(Operations& operations);
    void cancelInput(Operations& operations);
    void endOperations(Operations& operations) NIO_REQUIRES(onDispatcher);
    void withdrawAll(Operations& operations);

    [[gnu::hot]] Interest available(const Operations& operations) const NIO_REQUIRES(onDispatcher);
    [[gnu::hot]] bool isReady(Operations& operations) NIO_REQUIRES(onDispatcher);
    void list(Operations& operations);
    void unlist(Operations& operations);
    [[gnu::hot]] void sweep() NIO_REQUIRES(onDispatcher);
    [[gnu::hot]] void offerReady() NIO_REQUIRES(onDispatcher);

    static std::uint64_t tag(Operations& operations, Kind kind) {
        return reinterpret_cast<std::uint64_t>(&operations) | static_cast<std::uint64_t>(kind);
    }
    void release(Operations& operations);
    void freeIfDone(Operations& operations);

    UringIo io_;
    std::size_t maxSelectedKeys_;
    std::unique_ptr<kernel::Uring> ring_;
    std::vector<Operations*> all_;
    std::vector<Operations*> ready_;  // perhaps; in the order of their turn
    std::vector<Operations*> again_;  // those of them that had their turn
    std::vector<Operations*> submitted_;
    std::vector<Operations*> hungry_;
    bool feeding_ = false;    // feedTheHungry() is under way
    bool cancelled_ = false;  // something, which the kernel may not have been told
    bool watching_ = false;   // the wake-up
    bool woken_ = false;      // since the wait began
    bool moved_ = false;      // input into a channel, since then: its handler is to hear of it
};

}  // namespace nio
