// ChannelIo on io_uring. What arrives is received before anybody asks for it, into buffers that the
// dispatcher's channels share; receive() shows one of them. What is sent leaves with the next wait,
// that of all channels in one call.
//
// Bytes that were handed over (at most maximumHandedOver for each channel) are as good as taken by
// the kernel: they do not count as pending. If the socket does not take them all in that one
// attempt, the rest counts again, and the key gets write interest so that its handler hears when
// there is room, or that the connection has failed; to that peer flush() sends by itself, as the
// readiness engines do, until nothing is left.
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

    explicit UringIo(kernel::UringBuffers buffers);

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
    // The callback that was shown a buffer is over.
    void takeShownBack();
    [[gnu::hot]] void keepInput(UringOperations& operations, UringOperations::Buffer buffer,
                                std::size_t bytes);
    // Into the channel: the shared buffers are not for those who do not read.
    // False: no memory; the rest stays.
    bool moveInputAway(UringOperations& operations, SocketChannel& channel)
        NIO_REQUIRES(onDispatcher);
    void dropAll(UringOperations& operations);

    // Those that want to send; whoever takes the list takes its references over.
    std::vector<UringOperations*>& wishes() { return wishes_; }
    // Since it was asked last somebody finished whose output had not left: a send that succeeds
    // ends no wait, and the FIN behind it is not to wait for what does.
    bool owesFin() const { return owesFin_; }
    bool takeOwesFin() { return std::exchange(owesFin_, false); }
    // Queues one attempt to send what is handed over. False: there is nothing.
    [[gnu::hot]] bool submit(UringOperations& operations, kernel::Uring& ring, std::uint64_t tag)
        NIO_REQUIRES(onDispatcher);
    bool isSubmittedWhole(const UringOperations& operations) const NIO_REQUIRES(onDispatcher);
    // What came of it.
    [[gnu::hot]] void settle(UringOperations& operations) NIO_REQUIRES(onDispatcher);

  private:
    struct Link {
        std::uint32_t bytes;
        UringOperations::Buffer next;
    };

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
    std::unique_ptr<Link[]> links_;  // beside the buffers
    UringOperations::Buffer shown_ = UringOperations::none;
    bool shownIsLent_ = false;  // by who was shown it: it is given back once, by the later of two
    std::unique_ptr<Byte[]> scratch_;  // for what is shown from elsewhere
    std::vector<UringOperations*> wishes_;
    bool owesFin_ = false;
};

}  // namespace nio
