#include <nio/channel/SocketChannel.h>

#include <algorithm>

#include <nio/sys/handover/Handover.h>

namespace nio {

Result<SocketChannel> SocketChannel::open(SocketAddress::Family family) {
    Result<UniqueFd> fd = kernel::openStreamSocket(family);
    if (!fd) return fd.error();
    if (family != SocketAddress::Family::unix_) {
        if (Result<void> set = kernel::setNoDelay(fd.value().get(), true); !set) return set.error();
    }
    SocketChannel channel(std::move(fd).value());
    channel.outgoing_ = true;
    return channel;
}

Result<SocketChannel> SocketChannel::adopt(UniqueFd connected) {
    if (Result<void> fits = kernel::adoptConnection(connected.get()); !fits) return fits.error();
    return SocketChannel(std::move(connected));
}

// While the engine can still send the queue.
SocketChannel::~SocketChannel() {
    SelectableChannel::close();
}

Result<void> SocketChannel::shutdownWrite() {
    ChannelIo& engine = io("shutdownWrite");
    if (!hasDescriptor()) return {};
    return engine.shutdownWrite(*this);
}

void SocketChannel::hold(ByteView bytes, bool first) {
    if (bytes.empty()) return;
    // All or nothing; the selector drops a channel without unread bytes.
    if (isRegistered()) registrationFor("unread").channelHoldsInput();
    auto fresh = unread_ == nullptr ? std::make_unique<Unread>() : nullptr;
    Unread& held = fresh != nullptr ? *fresh : *unread_;
    const auto front = held.bytes.begin() + static_cast<std::ptrdiff_t>(held.taken);
    held.bytes.insert(first ? front : held.bytes.end(), bytes.begin(), bytes.end());
    if (fresh != nullptr) unread_ = std::move(fresh);
}

std::size_t SocketChannel::takeUnread(std::span<Byte> into) {
    const std::size_t count = std::min(into.size(), unreadBytes());
    if (count == 0) return 0;
    const Byte* begin = unread_->bytes.data() + unread_->taken;
    std::copy(begin, begin + count, into.begin());
    unread_->taken += count;
    if (unreadBytes() == 0) unread_.reset();
    return count;
}

void SocketChannel::abort() {
    if (isRegistered()) registrationFor("abort");
    // Ignored: a connection that has already ended cannot be reset.
    if (hasDescriptor()) (void)kernel::setResetOnClose(fd()).ok();
    close();
}

}  // namespace nio
