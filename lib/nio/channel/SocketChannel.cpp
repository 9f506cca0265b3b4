#include <nio/channel/SocketChannel.h>

#include <algorithm>

namespace nio {

Result<SocketChannel> SocketChannel::open(SocketAddress::Family family) {
    Result<UniqueFd> fd = kernel::openStreamSocket(family);
    if (!fd) return fd.error();
    if (family != SocketAddress::Family::unix_) {
        if (Result<void> set = kernel::setNoDelay(fd.value().get(), true); !set) return set.error();
    }
    return SocketChannel(std::move(fd).value());
}

SocketChannel::~SocketChannel() = default;

Result<void> SocketChannel::shutdownWrite() {
    return io("shutdownWrite").shutdownWrite(*this);
}

void SocketChannel::unread(ByteView bytes) {
    if (bytes.empty()) return;
    if (unread_ == nullptr) unread_ = std::make_unique<Bytes>();
    unread_->insert(unread_->end(), bytes.begin(), bytes.end());
    if (isRegistered()) registrationFor("unread").channelHoldsInput();
}

std::size_t SocketChannel::takeUnread(std::span<Byte> into) {
    const std::size_t count = std::min(into.size(), unreadBytes());
    if (count == 0) return 0;
    const auto end = unread_->begin() + static_cast<std::ptrdiff_t>(count);
    std::copy(unread_->begin(), end, into.begin());
    unread_->erase(unread_->begin(), end);
    if (unread_->empty()) unread_.reset();
    return count;
}

void SocketChannel::abort() {
    if (isRegistered()) registrationFor("abort");
    // A connection that is gone already cannot be reset any more: no error worth telling.
    if (isOpen()) (void)kernel::setResetOnClose(fd()).ok();
    close();
}

}  // namespace nio
