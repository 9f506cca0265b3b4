// ChannelIo on io_uring. Input is received ahead of receive(), into buffers shared by the
// dispatcher's channels; receive() shows one of them. Output of all channels is submitted with the
// next wait, in one call.
//
// Bytes handed over to the ring (at most maximumHandedOver per channel) count as accepted by the
// kernel, not as pending. If the socket does not accept them all in that one attempt, the rest is
// pending again, and the key gets write interest, so that its handler learns when there is room or
// that the connection has failed. flush() then sends to that peer directly, as the readiness
// engines do, until no output is left.
//
// Thread: the dispatcher's own.
#pragma once

#include <memory>
#include <span>
#include <utility>
#include <vector>

#include <nio/channel/ChannelIo.h>
#include <nio/selector/uring/UringOperations.h>

namespace nio {

class SelectableChannel;

class UringIo final : public ChannelIo {
  public:
    static constexpr std::size_t maximumHandedOver = 64 * 1024;

    UringIo(kernel::UringBuffers buffers, UringTable& table);

    [[gnu::hot]] Received receive(SocketChannel& channel) override NIO_REQUIRES(onDispatcher);
    [[gnu::hot]] IoResult write(SocketChannel& channel, ByteView direct) override
        NIO_REQUIRES(onDispatcher);
    IoResult flush(SocketChannel& channel) override NIO_REQUIRES(onDispatcher);
    Result<void> shutdownWrite(SocketChannel& channel) override NIO_REQUIRES(onDispatcher);
    bool isSending(SocketChannel& channel) override;
    IoResult connect(SocketChannel& channel, const SocketAddress& address) override
        NIO_REQUIRES(onDispatcher);
    IoResult connectOutcome(SocketChannel& channel) override NIO_REQUIRES(onDispatcher);
    kernel::Accepted accept(ServerSocketChannel& channel) override NIO_REQUIRES(onDispatcher);

    // --- for the selector -------------------------------------------------------------------

    kernel::UringBuffers& buffers() { return buffers_; }
    // Ends the callback that was shown a buffer.
    void takeShownBack();
    [[gnu::hot]] void keepInput(UringOperations& operations, UringOperations::Buffer buffer,
                                std::size_t bytes);
    // Copies received input into the channel: channels that do not read must not hold shared
    // buffers. False: out of memory; the rest stays.
    bool moveInputAway(UringOperations& operations, SocketChannel& channel)
        NIO_REQUIRES(onDispatcher);
    void dropAll(UringOperations& operations);

    void reserve(std::size_t keys);
    bool hasOutput() const { return !wishes_.empty(); }
    // Output was submitted and its result is not known yet.
    bool hasSubmitted() const { return !submitted_.empty(); }
    // Queues one attempt to send what each channel has handed over. False: some must wait for the
    // next call. If memory runs out, channels not yet submitted stay on the list.
    [[gnu::hot]] bool submitAll(kernel::Uring& ring) NIO_REQUIRES(onDispatcher);
    // Processes the results. Call it when all completions were taken: a send without a completion
    // has succeeded.
    [[gnu::hot]] void settleAll() NIO_REQUIRES(onDispatcher);
    // The ring ends: sends that are still queued in it are repeated by the next one; the others
    // have been sent. Null: the ring of another process, which sends them.
    void takeBack(kernel::Uring* ring) NIO_REQUIRES(onDispatcher);
    // Whether a FIN was deferred behind output since the last call. A successful send ends no wait,
    // so the FIN after it would otherwise be delayed until another event.
    bool finDeferred() const { return finDeferred_; }
    bool takeFinDeferred() { return std::exchange(finDeferred_, false); }

  private:
    struct Link {
        std::uint32_t bytes;
        UringOperations::Buffer next;
    };

    // One attempt to send the bytes handed over. False: there are none.
    [[gnu::hot]] bool submit(UringOperations& operations, kernel::Uring& ring)
        NIO_REQUIRES(onDispatcher);
    bool isSubmittedWhole(const UringOperations& operations) const NIO_REQUIRES(onDispatcher);
    [[gnu::hot]] void settle(UringOperations& operations) NIO_REQUIRES(onDispatcher);
    std::span<Byte> scratch();
    static UringOperations& of(SelectableChannel& channel);
    IoResult sendNow(UringOperations& operations, SocketChannel& channel)
        NIO_REQUIRES(onDispatcher);
    void wish(UringOperations& operations);
    [[gnu::hot]] bool lend(UringOperations& operations, SocketChannel& channel, ByteView direct);
    [[gnu::hot]] static std::size_t send(int fd, std::span<const iovec> pieces, kernel::Uring& ring,
                                         std::uint64_t tag);
    void endLoan(UringOperations& operations);
    void sendFellShort(UringOperations& operations, SocketChannel& channel)
        NIO_REQUIRES(onDispatcher);
    void takeLoanOver(UringOperations& operations, SocketChannel& channel)
        NIO_REQUIRES(onDispatcher);
    UringOperations::Buffer takeInput(UringOperations& operations);

    kernel::UringBuffers buffers_;
    std::unique_ptr<Link[]> links_;  // one per buffer
    UringOperations::Buffer shown_ = UringOperations::none;
    bool shownIsLent_ = false;         // the callback sends from it; the later user returns it
    std::unique_ptr<Byte[]> scratch_;  // for input not received by the ring
    UringTable& table_;
    std::vector<UringOperations*> wishes_;     // with output to submit
    std::vector<UringOperations*> submitted_;  // with output in flight
    bool finDeferred_ = false;
};

}  // namespace nio
